#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The connection between a daemon and the process that is to replace it.
///
/// Each message is one byte. The end of the stream means that the other process has ended.
struct HandOverChannel: Sendable {
  enum Message: UInt8 {
    /// The successor has read the history, and waits for the directory.
    case prepared = 1
    /// The predecessor has closed its files and sockets.
    case released = 2
    /// The successor serves.
    case leading = 3
  }

  /// A received message, or the reason for which there is none.
  enum Reading: Equatable {
    case message(Message)
    case ended
    case timeout
  }

  /// The environment variable with the number of the successor's descriptor.
  static let variable = "STOREACTOR_HANDOVER"

  let descriptor: Int32

  /// Takes the channel that a predecessor has passed to this process; nil without one.
  ///
  /// The variable is removed, so that no program that this one starts sees it.
  static func inherited() -> HandOverChannel? {
    guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
    unsetenv(variable)
    var status = stat()
    guard let descriptor = Int32(text), descriptor > STDERR_FILENO,
      fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK
    else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return HandOverChannel(descriptor: descriptor)
  }

  /// Sends a message; the end of the other process is noticed by the next ``receive(within:)``.
  func send(_ message: Message) {
    var byte = message.rawValue
    #if canImport(Glibc)
    let flags = Int32(MSG_NOSIGNAL)
    #else
    let flags: Int32 = 0
    #endif
    while sendto(descriptor, &byte, 1, flags, nil, 0) < 0, errno == EINTR {}
  }

  /// Waits for a message.
  ///
  /// - Parameter milliseconds: The longest wait.
  /// - Returns: A message, or the reason why there is none.
  func receive(within milliseconds: Int32) -> Reading {
    var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let count = poll(&item, 1, milliseconds)
    // An interrupted wait is repeated by the caller.
    guard count > 0 else { return .timeout }
    var byte: UInt8 = 0
    let length = read(descriptor, &byte, 1)
    if length < 0, errno == EINTR || errno == EAGAIN { return .timeout }
    guard length == 1, let message = Message(rawValue: byte) else { return .ended }
    return .message(message)
  }
}
