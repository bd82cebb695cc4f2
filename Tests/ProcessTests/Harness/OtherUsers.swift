import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Users that tests act as: user ids without an account on the test machines.
enum OtherUsers {
  static let ann: UInt32 = 47_111
  static let bob: UInt32 = 47_112
  static let stranger: UInt32 = 47_113
  static let carol: UInt32 = 47_114

  /// Whether programs can be started as other users.
  static let canBeActed: Bool = {
    #if os(Linux)
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
    #else
    false
    #endif
  }()
}

extension World {
  /// Writes the file of grants.
  func write(grants: String) throws {
    let path = "\(directory)/grants"
    try Data(grants.utf8).write(to: URL(filePath: path), options: .atomic)
    try #require(chmod(path, 0o600) == 0)
  }

  /// Starts a program as another user, in the user's own group only, or in `group`.
  func start(
    _ program: Program = .storectl,
    as user: UInt32,
    group: UInt32? = nil,
    _ arguments: [String],
  ) throws -> ChildProcess {
    let identity = "--reuid=\(user) --regid=\(group ?? user) --clear-groups"
    return try start(program, arguments, script: "exec setpriv \(identity) \"$0\" \"$@\"")
  }

  /// Starts the client on the world's directory as another user.
  func startClient(
    as user: UInt32,
    group: UInt32? = nil,
    _ arguments: [String],
  ) throws -> ChildProcess {
    try start(as: user, group: group, ["--dir", directory, "--json"] + arguments)
  }

  /// Runs a client to its end as another user.
  func client(as user: UInt32, group: UInt32? = nil, _ arguments: String...) async throws -> Run {
    try await finish(startClient(as: user, group: group, arguments))
  }
}

#if os(Linux)
extension RawPeer {
  /// Connects to a socket's file as another user, for whom the kernel then vouches.
  static func connect(_ path: String, as user: UInt32) async throws -> Int32 {
    let result = Watched<Result<Int32, any Error>?>(nil)
    Thread.detachNewThread {
      let connection = Result {
        try become(user)
        return try connect(path)
      }
      result.update { $0 = connection }
    }
    return try await result.wait(within: .seconds(20), for: "the connection") { $0 }.get()
  }

  #if arch(x86_64)
  private static let (setgroups, setresgid, setresuid) = (116, 119, 117)
  #else
  private static let (setgroups, setresgid, setresuid) = (159, 149, 147)
  #endif

  /// Changes the user of this thread until its end, by direct system calls: the library's functions
  /// change all threads.
  static func become(_ user: UInt32) throws {
    typealias SystemCall = @convention(c) (Int, UInt, UInt, UInt) -> Int
    guard let symbol = dlsym(nil, "syscall") else { throw ProcessFailure("there is no syscall") }
    let call = unsafeBitCast(symbol, to: SystemCall.self)
    let id = UInt(user)
    guard call(setgroups, 0, 0, 0) == 0, call(setresgid, id, id, id) == 0,
      call(setresuid, id, id, id) == 0
    else {
      throw ProcessFailure("the thread stays as it is: \(String(cString: strerror(errno)))")
    }
  }
}
#endif
