// A pipeline of groups: each stage hands what it has done to the next one by spawning a task there, and no stage waits for a whole batch.
#include <atomic>
#include <cstdio>
#include <string>
#include <utility>

#include <pilfer/pilfer.hpp>

namespace {

struct document {
  int number;
  std::string text;
};

document load(int number) { return {number, "document " + std::to_string(number)}; }

document shout(document d) {
  for (char& c : d.text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return d;
}

}  // namespace

int main() {
  constexpr int documents = 1000;
  std::atomic<std::size_t> letters{0};
  std::atomic<int> stored{0};
  const auto store = [&](const document& d) {
    letters += d.text.size();
    if (d.text == "DOCUMENT " + std::to_string(d.number)) ++stored;
  };

  pilfer::task_group storing;  // the last stage first: a stage must outlive those that feed it
  pilfer::task_group shouting;
  pilfer::task_group loading;
  const auto shout_and_pass = [&](document d) { storing.spawn(store, shout(std::move(d))); };
  const auto load_and_pass = [&](int number) { shouting.spawn(shout_and_pass, load(number)); };
  for (int i = 0; i < documents; ++i) loading.spawn(load_and_pass, i);

  loading.wait();  // in the order of the stages: then nothing is spawned into a group that was waited for
  shouting.wait();
  storing.wait();

  std::printf("stored %d documents of %zu letters\n", stored.load(), letters.load());
  return stored == documents ? 0 : 1;
}
