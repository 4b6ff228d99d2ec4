// The base of classes whose objects stay where they are made: other objects or threads keep their addresses.
#pragma once

namespace pilfer::ext {

class immovable {
 public:
  immovable() = default;
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;

 protected:
  ~immovable() = default;
};

}  // namespace pilfer::ext
