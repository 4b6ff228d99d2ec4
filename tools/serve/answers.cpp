// The part of a connection that never waits: from bytes that have come to bytes to send.
#include <utility>

#include "tools/serve/connection.hpp"

namespace pilfer::serve {
namespace {

constexpr std::string_view allowed_with_echo = "GET, HEAD, POST, PUT";
constexpr std::string_view allowed_without = "GET, HEAD";
constexpr std::string_view plain_text = "text/plain; charset=utf-8";
constexpr std::string_view plain_bytes = "application/octet-stream";

}  // namespace

counts& counts::operator+=(const counts& more) noexcept {
  connections += more.connections;
  turned_away += more.turned_away;
  requests += more.requests;
  for (std::size_t i = 0; i < by_class.size(); ++i) by_class[i] += more.by_class[i];
  malformed += more.malformed;
  timed_out += more.timed_out;
  broken_off += more.broken_off;
  bytes_in += more.bytes_in;
  bytes_out += more.bytes_out;
  return *this;
}

connection::step connection::work() {
  for (;;) {
    if (out_.size() >= flush_at) return step::flush;
    if (!has_head_) {
      if (in_.empty()) return step::receive;
      const request_parser::outcome how = parser_.advance(in_.view());
      if (how == request_parser::outcome::incomplete) return step::receive;
      if (how == request_parser::outcome::refused) return refuse(parser_.refusal());
      has_head_ = true;
      began_ = true;
      since_ms_ = now();  // the body has a limit of its own
    }
    const body_state body = read_body();
    if (body == body_state::incomplete) return step::receive;
    if (body == body_state::refused) return refuse(chunks_.refusal());
    closes_ =
        !parser_.head().keeps_alive || around_.stopping.load(std::memory_order_relaxed);  // a hint: later will do, too
    ++counts_.requests;
    const step next = answer();
    in_.take(used_);
    finish_request();
    if (next == step::file) return next;
    if (closes_) return step::close;
  }
}

void connection::finish_request() noexcept {
  if (parser_.head().chunked) chunks_.restart();  // also after a refusal, of another client
  parser_.restart();
  body_size_ = 0;
  used_ = 0;
  has_head_ = false;
  asked_for_body_ = false;
  began_ = false;
}

connection::body_state connection::read_body() {
  const request& head = parser_.head();
  const std::size_t begin = parser_.head_size();
  if (head.chunked) return read_chunks(begin);
  const std::size_t come = in_.size() - begin;
  if (come < head.length) {
    ask_for_body(come);
    return body_state::incomplete;
  }
  body_size_ = static_cast<std::size_t>(head.length);
  used_ = begin + body_size_;
  return body_state::complete;
}

connection::body_state connection::read_chunks(std::size_t begin) {
  const std::size_t done = begin + body_size_;
  const chunked_body::step next = chunks_.advance({in_.data() + done, in_.size() - done});
  body_size_ += next.made;
  if (next.how == chunked_body::outcome::refused) return body_state::refused;
  if (next.how == chunked_body::outcome::complete) {
    used_ = done + next.eaten;
    return body_state::complete;
  }
  ask_for_body(next.eaten);
  in_.keep(begin + body_size_);  // the framing is gone, and what comes is added right behind the body so far
  return body_state::incomplete;
}

void connection::ask_for_body(std::size_t come) {
  if (asked_for_body_) return;
  asked_for_body_ = true;
  if (parser_.head().awaits_continue && come == 0) out_.append(continue_response);
}

head_fields connection::fields_for(status what) const noexcept {
  return {.what = what, .closes = closes_, .says_keep_alive = !closes_ && parser_.head().is_1_0};
}

void connection::count(status what) noexcept { ++counts_.by_class[static_cast<std::size_t>(what) / 100]; }

void connection::answer_with(std::string_view body, std::string_view type) {
  count(status::ok);
  head_fields fields = fields_for(status::ok);
  fields.length = body.size();
  fields.type = type;
  append_head(out_, fields);
  if (parser_.head().verb != method::head) out_.append(body);
}

void connection::answer_with_message(head_fields fields) {
  count(fields.what);
  append_message(out_, fields, has_head_ && parser_.head().verb == method::head);
}

connection::step connection::refuse(status with) {
  closes_ = true;
  ++counts_.malformed;
  answer_with_message(fields_for(with));
  in_.clear();
  return step::close;
}

connection::step connection::answer() {
  const request& head = parser_.head();
  const settings& given = around_.given;
  const std::string_view target = head.target.in(in_.view());
  switch (head.verb) {
    case method::get:
    case method::head:
      if (around_.files != nullptr) return answer_with_file(target);
      answer_with(target, plain_text);
      return step::receive;
    case method::post:
    case method::put:
      if (!given.echoes) break;
      answer_with(in_.view().substr(parser_.head_size(), body_size_), plain_bytes);
      return step::receive;
    case method::unknown: answer_with_message(fields_for(status::not_implemented)); return step::receive;
    case method::other: break;
  }
  head_fields fields = fields_for(status::not_allowed);
  fields.allowed = given.echoes ? allowed_with_echo : allowed_without;
  answer_with_message(fields);
  return step::receive;
}

connection::step connection::answer_with_file(std::string_view target) {
  const request& head = parser_.head();
  found_file found = around_.files->find(target);
  if (found.how != status::ok) {
    head_fields fields = fields_for(found.how);
    fields.location = found.location;
    answer_with_message(fields);
    return step::receive;
  }
  const std::optional<std::time_t> since = parse_date(head.modified_since.in(in_.view()));
  const bool same = since && found.modified != 0 && found.modified <= *since;
  head_fields fields = fields_for(same ? status::not_modified : status::ok);
  count(fields.what);
  fields.length = found.size;
  fields.modified = found.modified;
  if (!same) fields.type = found.type;
  append_head(out_, fields);
  if (same || head.verb == method::head || found.size == 0) return step::receive;
  file_ = std::move(found);
  return step::file;
}

}  // namespace pilfer::serve
