import Foundation
import StoreActor
import Synchronization
import Testing

@testable import StoreDaemon
@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer
@testable import ZeroMQ

/// Keys in the file of grants, and the names of peers of encrypted connections.
@Suite struct KeyTests {
  private static let key = [UInt8](repeating: 0xa5, count: KeyText.keyBytes)
  private static let other = [UInt8](repeating: 0x5a, count: KeyText.keyBytes)

  /// A file of grants with a text, in a directory that is removed afterwards.
  private func withFile(_ text: String?, _ body: (GrantsFile) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "grants").path
    if let text {
      try Data(text.utf8).write(to: URL(filePath: path))
      try #require(chmod(path, 0o600) == 0)
    }
    try body(
      GrantsFile(path, exposed: [Expose<Counted, Never>("count", state: \.count).description])
    )
  }

  private func text(_ file: GrantsFile) throws -> String {
    try String(contentsOfFile: file.path, encoding: .utf8)
  }

  private func lines(_ name: String, _ key: [UInt8], _ grants: String...) -> GrantsFile.KeyLines {
    GrantsFile.KeyLines(name: name, key: key, grants: grants)
  }

  @Test func `A key's lines are added and removed, and the others stay as they are`() throws {
    let old = "# by hand\r\nuser:4711  count see # him\n\nuser:4712 count see"
    try withFile(old) { file in
      let granted = try file.add(lines("laptop", Self.key, "count see", "* see")).grants.get()
      #expect(granted.name(ofKey: Self.key) == "laptop")
      let digits = KeyText.text(Self.key)
      #expect(
        try text(file) == old + "\nkey:laptop=\(digits) count see\nkey:laptop=\(digits) * see\n"
      )
      _ = try file.add(lines("lap", Self.other, "count see"))
      let removed = try #require(try file.remove(key: "laptop")).grants.get()
      #expect(removed.name(ofKey: Self.key) == nil && removed.name(ofKey: Self.other) == "lap")
      #expect(try text(file) == old + "\nkey:lap=\(KeyText.text(Self.other)) count see\n")
      #expect(try file.remove(key: "laptop")?.grants == nil)
    }
  }

  @Test func `A change of the file's directory is noticed like a change of the file`() throws {
    try withFile("user:4711 count see\n") { file in
      let look = file.changes(since: file.stamp)
      #expect(look() == nil)
      let folder = URL(filePath: file.path).deletingLastPathComponent().path
      #expect(chmod(folder, 0o777) == 0)
      let change = try #require(look())
      let error = #expect(throws: GrantsFile.Problem.self) { try change.grants.get() }
      #expect(error?.code == .notAllowed && error?.description.contains("go-w") == true)
      #expect(look() == nil)
      #expect(chmod(folder, 0o755) == 0)
      #expect(try look()?.grants.get().lines.count == 1)
    }
  }

  @Test func `An invalid file of grants is refused at once, with the fault`() throws {
    try withFile("user:4711 count see\n") { file in
      #expect(chmod(file.path, 0o606) == 0)
      let open = #expect(throws: GrantsFile.Problem.self) { try file.read() }
      #expect(open?.code == .notAllowed && open?.description.contains("chmod go-w") == true)
      unlink(file.path)
      try #require(mkfifo(file.path, 0o600) == 0)
      let pipe = #expect(throws: GrantsFile.Problem.self) { try file.read() }
      #expect(pipe?.code == .unreadable && pipe?.description.contains("a pipe") == true)
      #expect(pipe?.named == nil)
      unlink(file.path)
      try Data([0xff, 0x0a]).write(to: URL(filePath: file.path))
      #expect(chmod(file.path, 0o600) == 0)
      let bytes = #expect(throws: GrantsFile.Problem.self) { try file.read() }
      #expect(bytes?.code == .configuration && bytes?.description.contains("UTF-8") == true)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `Another user's files are read if that user is trusted`() throws {
    try withFile("user:4711 count see\n") { file in
      #expect(chown(file.path, 4711, 4711) == 0)
      let error = #expect(throws: GrantsFile.Problem.self) { try file.read() }
      #expect(error?.code == .notAllowed)
      #expect(error?.description.contains("--trust-owner 4711") == true)
      let trusting = GrantsFile(
        file.path,
        exposed: [Expose<Counted, Never>("count", state: \.count).description],
        trusting: 4711,
      )
      #expect(try trusting.read().lines.count == 1)
      let path = "\(file.path)-key"
      defer { unlink(path) }
      let pair = try DaemonKey.pair(in: path)
      #expect(chown(path, 4711, 4711) == 0)
      #expect(throws: TrustedFile.Problem.ownedBy(path, 4711)) { try DaemonKey.pair(in: path) }
      #expect(try DaemonKey.pair(in: path, trusting: 4711) == pair)
    }
  }

  @Test func `Keys with a public secret, or that need no secret, are not enrolled`() throws {
    let daemon = [UInt8](repeating: 7, count: KeyText.keyBytes)
    func problem(_ key: [UInt8]) -> String? {
      KeyService.problem(withKey: key, tickets: [Self.other], daemon: daemon)
    }
    #expect(try problem(CurvePair().publicKey) == nil && problem(Self.key) == nil)
    #expect(problem(Self.other)?.contains("invitation") == true)
    #expect(problem(daemon)?.contains("daemon's own") == true)
    #expect(problem([UInt8](repeating: 0, count: 32))?.contains("low order") == true)
  }

  @Test func `Members of a group are read again when the system's lists were changed`() throws {
    try withFile("user:4711 count see\n") { file in
      let list = "\(file.path)-group"
      defer { unlink(list) }
      let watched = GrantsFile(file.path, exposed: [], accountFiles: ["/none", list])
      let look = watched.changes(since: watched.stamp)
      #expect(look()?.stamp == nil)
      try Data("staff:x:50:ann".utf8).write(to: URL(filePath: list))
      #expect(look()?.stamp != nil)
      #expect(look()?.stamp == nil)
      try Data("staff:x:50:".utf8).write(to: URL(filePath: list))
      #expect(look()?.stamp == watched.stamp)
      #expect(look()?.stamp == nil)
    }
  }

  @Test func `A failed lookup is reported once, revokes no rights, and is repeated`() throws {
    try withFile("user:4711 count see\n") { file in
      let reason = Mutex<String?>(nil)
      let accounts = Accounts(
        user: { (_) throws(Accounts.LookupError) in
          if let reason = reason.withLock({ $0 }) { throw Accounts.LookupError(reason: reason) }
          return 4712
        },
        group: { _ in nil },
      )
      let watched = GrantsFile(
        file.path,
        exposed: [Expose<Counted, Never>("count", state: \.count).description],
        accounts: accounts,
      )
      let look = watched.changes(since: watched.stamp)
      let text = "user:4711 count see\nuser:ann count see\n"
      try Data(text.utf8).write(to: URL(filePath: file.path))
      reason.withLock { $0 = "Input/output error" }
      func problem(_ change: GrantsFile.Change?) -> GrantsFile.Problem? {
        if case .failure(let problem)? = change?.grants { problem } else { nil }
      }
      let first = try #require(problem(look()))
      #expect(first.code == .system && first.description.contains("Input/output error"))
      let old = Grants(owner: geteuid(), lines: try file.grants("user:9 count see").lines)
      #expect(old.limited(to: try #require(first.named)) == old)
      #expect(look() == nil && look() == nil)
      reason.withLock { $0 = "Too many open files" }
      #expect(problem(look())?.description.contains("Too many open files") == true)
      #expect(look() == nil)
      reason.withLock { $0 = nil }
      #expect(try look()?.grants.get().lines.count == 2)
      #expect(look() == nil)
      // An unknown user is a mistake in the file, which is read again when it changes.
      try Data("user:4711 count look\n".utf8).write(to: URL(filePath: file.path))
      #expect(problem(look())?.code == .configuration)
      #expect(look() == nil)
    }
  }

  @Test func `A missing file is created`() throws {
    try withFile(nil) { file in
      #expect(try file.remove(key: "laptop")?.grants == nil)
      _ = try file.add(lines("laptop", Self.key, "count see"))
      #expect(try file.read().name(ofKey: Self.key) == "laptop")
    }
  }

  @Test func `A taken name, and invalid grants, leave the file unchanged`() throws {
    try withFile("") { file in
      _ = try file.add(lines("laptop", Self.key, "count see"))
      let before = try text(file)
      for wrong in [
        lines("laptop", Self.other, "count see"), lines("phone", Self.key, "count see"),
        lines("phone", Self.other, "nothing see"), lines("phone", Self.other, "count look"),
        lines("phone", Self.other, "count"),
      ] {
        #expect(throws: GrantsFile.Problem.self) { try file.add(wrong) }
        #expect(throws: GrantsFile.Problem.self) { try file.grants(adding: wrong) }
      }
      #expect(try text(file) == before)
    }
  }

  @Test func `A key's lines are removed in spite of another invalid line, which is reported`()
    throws
  {
    let digits = KeyText.text(Self.key)
    try withFile("user:4711 countr see\nkey:laptop=\(digits) count see\n") { file in
      guard case .failure(let problem) = try file.remove(key: "laptop")?.grants else {
        Issue.record("No problem")
        return
      }
      #expect(problem.description.contains("line 1") && problem.named?.grantees == [.user(4711)])
      #expect(try text(file) == "user:4711 countr see\n")
    }
  }

  @Test func `A simultaneous change by another process is kept`() throws {
    try withFile("one\n") { file in
      var looks = 0
      try file.edit { (text) throws(GrantsFile.Problem) in
        looks += 1
        if looks == 1 { self.write("two\n", file) }
        return (text + "more\n", ())
      }
      #expect(try looks == 2 && text(file) == "two\nmore\n")
      // A file that another writer creates meanwhile is preserved too.
      unlink(file.path)
      try file.edit { (text) throws(GrantsFile.Problem) in
        if text.isEmpty { self.write("three\n", file) }
        return (text + "more\n", ())
      }
      #expect(try text(file) == "three\nmore\n")
      let error = #expect(throws: GrantsFile.Problem.self) {
        try file.edit { (text) throws(GrantsFile.Problem) in
          looks += 1
          self.write("\(looks)\n", file)
          return ("mine", ())
        }
      }
      #expect(error?.description.contains("again and again") == true)
      #expect(try text(file) == "\(looks)\n")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder(file)) == ["grants"])
    }
  }

  private func write(_ text: String, _ file: GrantsFile) {
    #expect(throws: Never.self) { try Data(text.utf8).write(to: URL(filePath: file.path)) }
    #expect(chmod(file.path, 0o600) == 0)
  }

  private func folder(_ file: GrantsFile) -> String {
    URL(filePath: file.path).deletingLastPathComponent().path
  }

  @Test func `A connection is good for the name of its key, and for no other`() {
    func isGood(_ lines: (String, [UInt8])...) -> Bool {
      let lines = lines.map { name, key in
        Grants.Line(grantee: .key(name, key), scopes: [], sees: true, sends: .nothing)
      }
      return PeerName.key("laptop", Self.key).isGood(under: Grants(owner: 1, lines: lines))
    }
    #expect(isGood(("laptop", Self.key), ("phone", Self.other)))
    #expect(!isGood(("laptop", Self.other)))
    #expect(!isGood(("laptop", Self.other), ("old", Self.key)))
    #expect(!isGood())
    #expect(PeerName.ticket(KeyTicket(key: Self.key)).isGood(under: Grants(owner: 1)))
  }

  @Test func `Text after a serial is read as it was written`() {
    let names: [PeerName] = [
      .key("laptop", Self.key), .ticket(KeyTicket(key: Self.key)), .loopback,
      .process(user: 1000, group: .max, number: 0),
    ]
    for name in names {
      #expect(PeerName(property: "12 \(name.word)") == name)
    }
    let unread = [
      "12", "12 ", "12 key:laptop=1", "12 key:", "12 user:1=2", "12 process:1:2",
      "12 process:1:2:x",
      "12 loopbacks", "12 localhost:1:2:3",
    ]
    for property in unread { #expect(PeerName(property: property) == nil, "\(property)") }
  }

  @Test func `A peer's identity follows from its name alone; without a name it has no identity`() {
    func identity(_ name: PeerName?) -> ActionOrigin.Identity {
      PeerName.caller(name, at: "localhost:0:0:1").identity
    }
    #expect(identity(nil) == .unknown)
    #expect(identity(.loopback) == .loopback)
    let process = ActionOrigin.Identity.user(1000, group: 100, process: 7)
    #expect(PeerName(process).map { identity($0) } == process)
    #expect(identity(.key("laptop", Self.key)) == .key("laptop"))
    for identity in [ActionOrigin.Identity.unknown, .process, .key("laptop")] {
      #expect(PeerName(identity) == nil)
    }
  }

  @Test func `The daemon's key is made once, and refused where others can read it`() throws {
    try withFile(nil) { file in
      let path = "\(file.path)-key"
      defer { unlink(path) }
      let pair = try DaemonKey.pair(in: path)
      #expect(try DaemonKey.pair(in: path) == pair)
      #expect(chmod(path, 0o644) == 0)
      #expect(throws: TrustedFile.Problem.wide(path, mode: "644")) { try DaemonKey.pair(in: path) }
      #expect(chmod(path, 0o600) == 0)
      try Data("nonsense".utf8).write(to: URL(filePath: path))
      #expect(chmod(path, 0o600) == 0)
      #expect(throws: TrustedFile.Problem.malformed(path)) { try DaemonKey.pair(in: path) }
    }
  }

  @Test func `A secret replaces no file, and leaves no other file beside it`() throws {
    try withFile("by hand") { file in
      #expect(throws: TrustedFile.Problem.occupied(file.path)) {
        try SecretFile.create(file.path, [1])
      }
      #expect(try text(file) == "by hand")
      unlink(file.path)
      // The target of a link is not created either.
      try #require(symlink("\(file.path)-other", file.path) == 0)
      #expect(throws: TrustedFile.Problem.occupied(file.path)) {
        try SecretFile.create(file.path, [1])
      }
      unlink(file.path)
      try SecretFile.create(file.path, [1, 2])
      #expect(try SecretFile.read(file.path) == [1, 2])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder(file)) == ["grants"])
    }
  }

  @Test func `Which addresses ask for keys is not left to chance`() {
    var configuration = HostConfiguration(directory: "/d")
    configuration.listen = [
      "ipc:///e", "tcp://127.0.0.1:5555", "tcp://192.0.2.1:5555", "tcp://localhost:1", "tcp://*:1",
    ]
    #expect(configuration.plainAddresses == ["ipc:///e"])
    configuration.allowsInsecureLoopback = true
    #expect(configuration.plainAddresses == ["ipc:///e", "tcp://127.0.0.1:5555"])
  }

  @Test(arguments: [
    "tcp://127.0.0.1:0;192.0.2.2:5871", "tcp://127.0.0.1;192.0.2.2:5871", "tcp://127.0.0.1:*",
    "tcp://*:5871", "tcp://127.0.0.1:+5871", "tcp://127.0.0.1:5871:1", "tcp://:5871",
    "tcp://lo:5871;x", "tcp://eth0@1:5871", "tcp://[::1]:5871", "tcp://127.0.0.1/24:5871",
    "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "tcp://127.0.0.1 :5871",
  ])
  func `An address with anything but a host and a port is refused`(address: String) {
    #expect(throws: LocationError.self) { try StoreLocation(address: address) }
    var configuration = HostConfiguration(directory: "/d")
    configuration.listen = [address]
    configuration.allowsInsecureLoopback = true
    #expect(configuration.plainAddresses == [])
    let error = #expect(throws: HostError.self) { try configuration.checkListen() }
    #expect(error?.code == .usage && error?.remedy.contains("tcp://127.0.0.1:PORT") == true)
  }

  @Test func `The deltas of an address are at the port after its own`() throws {
    let location = try StoreLocation(address: "tcp://build-1.example_x:5871")
    #expect(location.control == "tcp://build-1.example_x:5871")
    #expect(location.publishing == "tcp://build-1.example_x:5872")
    // The last port has no successor.
    #expect(throws: LocationError.self) { try StoreLocation(address: "tcp://127.0.0.1:65535") }
  }
}

private struct Counted: Sendable {
  var count = 0
}
