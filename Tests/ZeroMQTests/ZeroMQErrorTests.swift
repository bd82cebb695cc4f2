import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Errors, and the requirements of the library")
struct ZeroMQErrorTests {
  /// libzmq's own error numbers start above this one, by the definition in its header.
  private static let own: Int32 = 156_384_712

  @Test("An error states the failed operation, its subject, the reason and the remedy")
  func description() {
    let error = ZeroMQError(code: EADDRINUSE, operation: "bind", subject: "tcp://127.0.0.1:5555")
    #expect(
      error.description == """
        Could not bind tcp://127.0.0.1:5555: Address already in use (EADDRINUSE). Another process \
        already listens there: stop it, or choose another directory or port.
        """
    )
  }

  @Test(
    "An error number has a name and a remedy of its own",
    arguments: [
      (EADDRINUSE, "EADDRINUSE", "already listens"),
      (EADDRNOTAVAIL, "EADDRNOTAVAIL", "no such address"),
      (ENAMETOOLONG, "ENAMETOOLONG", "\(EndpointPath.limit) bytes at most"),
      (ENOENT, "ENOENT", "Create the directory"),
      (EACCES, "EACCES", "mode 0700"),
      (EHOSTUNREACH, "EHOSTUNREACH", "forget its routing id"),
      (ECONNREFUSED, "ECONNREFUSED", "start the daemon"),
      (EMFILE, "EMFILE", "ulimit -n"),
      (ENFILE, "ENFILE", "fs.file-max"),
      (ENOMEM, "ENOMEM", "high-water"),
      (own + 54, "EMTHREAD", "at least one"),
      (own + 53, "ETERM", "context was terminated"),
      (EINTR, "EINTR", "posix_spawn"),
      (EPROTONOSUPPORT, "EPROTONOSUPPORT", "ipc:// or tcp://"),
      (own + 52, "ENOCOMPATPROTO", "ipc:// or tcp://"),
      (EINVAL, "EINVAL", "check the spelling"),
      (ENOTSOCK, "ENOTSOCK", "create a new one"),
      (own + 51, "EFSM", "finish the message"),
      (ETXTBSY, "error \(ETXTBSY)", "spelt right"),
    ],
  )
  func remedies(code: Int32, name: String, remedy: String) {
    let description = ZeroMQError(code: code, operation: "x", subject: "y").description
    #expect(description.contains("(\(name))."))
    #expect(description.contains(remedy))
  }

  @Test("Disconnecting from an endpoint that was never connected is explained as such")
  func disconnectRemedy() throws {
    let socket = try Socket(Context(), kind: .dealer)
    let error = #expect(throws: ZeroMQError.self) { try socket.disconnect("tcp://127.0.0.1:1") }
    #expect(error?.code == ENOENT)
    #expect(error?.remedy.contains("exactly as it was given") == true)
  }

  @Test("The installed library is new enough and speaks ipc")
  func installedLibrary() throws {
    try ZeroMQLibrary.check()
    #expect(ZeroMQLibrary.version >= ZeroMQLibrary.minimumVersion)
    #expect(ZeroMQLibrary.has("ipc"))
    #expect(!ZeroMQLibrary.has("telepathy"))
  }

  @Test("An old library is refused, with the installed and the required version")
  func oldLibrary() {
    let error = #expect(throws: ZeroMQError.self) {
      try ZeroMQLibrary.check(version: ZeroMQLibrary.Version(4, 2, 5), hasIPC: true)
    }
    #expect(error?.subject == "the installed libzmq 4.2.5")
    #expect(error?.remedy.hasPrefix("Version 4.3.2 or later with ipc is needed") == true)
  }

  @Test("A library without ipc is refused")
  func libraryWithoutIPC() {
    let error = #expect(throws: ZeroMQError.self) {
      try ZeroMQLibrary.check(version: ZeroMQLibrary.minimumVersion, hasIPC: false)
    }
    #expect(error?.subject == "the installed libzmq 4.3.2, built without ipc")
  }

  @Test("Versions compare by their parts, not as text")
  func versions() {
    #expect(ZeroMQLibrary.Version(4, 10, 0) > ZeroMQLibrary.Version(4, 9, 9))
    #expect(ZeroMQLibrary.Version(4, 3, 2) < ZeroMQLibrary.Version(5, 0, 0))
  }
}
