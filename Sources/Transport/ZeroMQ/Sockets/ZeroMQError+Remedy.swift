import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ZeroMQError {
  /// The usual remedy for an error number.
  static func remedy(code: Int32, operation: String) -> String {
    addressRemedy(code: code, operation: operation)
      ?? resourceRemedy(code: code)
      ?? usageRemedy(code: code)
      ?? "Check that the endpoint is spelt right and that this user may use it."
  }

  private static func addressRemedy(code: Int32, operation: String) -> String? {
    switch code {
    case EADDRINUSE:
      "Another process already listens there: stop it, or choose another directory or port."
    case EADDRNOTAVAIL:
      "This host has no such address: use one of its own, such as tcp://127.0.0.1:5555."
    case ENAMETOOLONG:
      "A socket's path may have \(EndpointPath.limit) bytes at most: choose a shorter directory."
    case ENOENT where operation == "disconnect":
      "Nothing was connected under this name: pass the endpoint exactly as it was given."
    case ENOENT, ENOTDIR:
      "Create the directory of the socket first, with mode 0700."
    case EACCES, EPERM, EROFS:
      "This user may not write there: use a directory of its own, with mode 0700."
    case EHOSTUNREACH:
      "The peer has gone, or never was there: forget its routing id and wait until it reconnects."
    case ECONNREFUSED:
      "No process listens there: start the daemon, or correct the endpoint."
    default:
      nil
    }
  }

  private static func resourceRemedy(code: Int32) -> String? {
    switch code {
    case EMFILE:
      "The process has no free file descriptor, or the context no free socket: raise the limit "
        + "(ulimit -n 65536, LimitNOFILE=), or the context's maxSockets."
    case ENFILE:
      "The system has no free file descriptor: raise fs.file-max, or close other programs."
    case ENOMEM, ENOBUFS:
      "The system is out of memory: lower the high-water marks, or give the process more."
    case EMTHREAD:
      "The context has no I/O thread: create it with at least one."
    default:
      nil
    }
  }

  private static func usageRemedy(code: Int32) -> String? {
    switch code {
    case ETERM:
      "The context was terminated: stop using its sockets and close them."
    case EINTR:
      "The context belongs to the parent process: after a fork, create a new one, or start "
        + "programs with posix_spawn."
    case EPROTONOSUPPORT:
      "Use an ipc:// or tcp:// endpoint, or install a libzmq that was built with this transport."
    case ENOCOMPATPROTO:
      "This kind of socket does not speak over that transport: use ipc:// or tcp://."
    case EINVAL:
      "The installed libzmq does not accept this value: check the spelling (ipc:///path, "
        + "tcp://host:port), the option's range, and that the kind of socket has this option."
    case ENOTSOCK:
      "The socket is closed: create a new one."
    case EFSM:
      "The socket cannot do this in its present state: finish the message that was begun."
    default:
      nil
    }
  }

  /// The symbol of an error number, by which users search for it.
  static func name(_ code: Int32) -> String {
    let names: [Int32: String] = [
      EACCES: "EACCES", EADDRINUSE: "EADDRINUSE", EADDRNOTAVAIL: "EADDRNOTAVAIL",
      EAGAIN: "EAGAIN", ECONNREFUSED: "ECONNREFUSED", EFAULT: "EFAULT", EFSM: "EFSM",
      EHOSTUNREACH: "EHOSTUNREACH", EINTR: "EINTR", EINVAL: "EINVAL", EMFILE: "EMFILE",
      EMTHREAD: "EMTHREAD", ENAMETOOLONG: "ENAMETOOLONG", ENFILE: "ENFILE",
      ENOBUFS: "ENOBUFS", ENOCOMPATPROTO: "ENOCOMPATPROTO", ENODEV: "ENODEV",
      ENOENT: "ENOENT", ENOMEM: "ENOMEM", ENOTDIR: "ENOTDIR", ENOTSOCK: "ENOTSOCK",
      EPERM: "EPERM", EPROTONOSUPPORT: "EPROTONOSUPPORT", EROFS: "EROFS", ETERM: "ETERM",
    ]
    return names[code] ?? "error \(code)"
  }
}
