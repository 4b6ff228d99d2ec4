// Files, folders and sockets for coroutines: on io_uring where the kernel lets us, on threads elsewhere. See docs/io.md.
#pragma once

#include <pilfer/io/address.hpp>
#include <pilfer/io/backend.hpp>
#include <pilfer/io/descriptor.hpp>
#include <pilfer/io/directory.hpp>
#include <pilfer/io/file.hpp>
#include <pilfer/io/file_status.hpp>
#include <pilfer/io/operation.hpp>
#include <pilfer/io/result.hpp>
#include <pilfer/io/socket.hpp>
