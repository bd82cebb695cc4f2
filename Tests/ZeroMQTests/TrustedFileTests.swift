import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Files that decide the rights of others", .timeLimit(.minutes(1)))
struct TrustedFileTests {
  private static let stranger: UInt32 = 54_321
  private static let text = Array("user:4711 count see".utf8)

  /// A directory with a file `file`, both of this user.
  private func withFile(_ body: (_ directory: String, _ path: String) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    defer { clear(directory.path) }
    try make("\(directory.path)/file")
    try body(directory.path, "\(directory.path)/file")
  }

  private func make(_ path: String, mode: mode_t = 0o600) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(write(descriptor, Self.text, Self.text.count) == Self.text.count)
    try #require(fchmod(descriptor, mode) == 0)
  }

  private func clear(_ directory: String) {
    guard let entries = opendir(directory) else { return }
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      let path = "\(directory)/\(name)"
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        clear(path)
        rmdir(path)
      } else {
        unlink(path)
      }
    }
    closedir(entries)
  }

  private func read(
    _ path: String,
    _ kind: TrustedFile.Kind = .open,
    trusting trusted: UInt32? = nil,
    credentials: String? = nil,
  ) throws -> [UInt8] {
    try TrustedFile.read(path, kind, most: 64, trusting: trusted, credentials: credentials)
  }

  private func problem(
    _ path: String,
    _ kind: TrustedFile.Kind = .open,
    trusting trusted: UInt32? = nil,
    credentials: String? = nil,
  ) -> TrustedFile.Problem? {
    #expect(throws: TrustedFile.Problem.self) {
      try read(path, kind, trusting: trusted, credentials: credentials)
    }
  }

  @Test
  func `A file of this user is read by its path, through links, and below a shared directory`()
    throws
  {
    try withFile { (directory, path) throws in
      #expect(try read(path) == Self.text)
      #expect(TrustedFile.problem(path, .open, most: 64) == nil)
      // As Kubernetes mounts a volume: a link to a file below a link to a directory.
      #expect(mkdir("\(directory)/..1", 0o755) == 0)
      try make("\(directory)/..1/grants", mode: 0o644)
      #expect(symlink("..1", "\(directory)/..data") == 0)
      #expect(symlink("..data/grants", "\(directory)/grants") == 0)
      #expect(try read("\(directory)/grants") == Self.text)
      #expect(chmod(directory, 0o1777) == 0)
      #expect(try read(path) == Self.text)
      #expect(problem("\(directory)/none") == .missing("\(directory)/none"))
    }
  }

  @Test func `A pipe, a device and a directory are refused at once`() throws {
    try withFile { (directory, path) throws in
      let pipe = "\(directory)/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      #expect(problem(pipe) == .irregular(pipe) && problem(pipe, .secret) == .irregular(pipe))
      #expect(problem("/dev/null") == .irregular("/dev/null"))
      #expect(problem(directory) == .irregular(directory))
      let open = try Pipe()
      let name = "/dev/fd/\(open.readEnd)"
      #expect(problem(name) == .irregular(name))
      #expect(problem("\(path)/x") == .failed(path, code: ENOTDIR))
    }
  }

  @Test func `What another user owns, or could change, is refused unless that user is trusted`()
    throws
  {
    try withFile { (directory, path) throws in
      #expect(chmod(path, 0o606) == 0)
      #expect(problem(path) == .writable(path, mode: "606"))
      #expect(chmod(path, 0o644) == 0 && chmod(directory, 0o777) == 0)
      guard case .path(path, .writable(directory, _))? = problem(path) else {
        Issue.record("\(String(describing: problem(path)))")
        return
      }
      #expect(chmod(directory, 0o755) == 0)
      guard geteuid() == 0 else { return }
      #expect(chown(path, Self.stranger, Self.stranger) == 0)
      #expect(problem(path) == .ownedBy(path, Self.stranger))
      #expect(problem(path)?.owner == Self.stranger)
      #expect(try read(path, trusting: Self.stranger) == Self.text)
      // A file of this user in another user's directory.
      #expect(chown(path, 0, 0) == 0 && chown(directory, Self.stranger, 0) == 0)
      let foreign = TrustedPath.Problem.foreign(directory, owner: Self.stranger)
      #expect(problem(path) == .path(path, foreign) && problem(path)?.owner == Self.stranger)
      #expect(TrustedFile.problem(path, .open, most: 64) == .path(path, foreign))
      #expect(try read(path, trusting: Self.stranger) == Self.text)
      // A link of another user.
      #expect(chown(directory, 0, 0) == 0 && symlink("file", "\(directory)/link") == 0)
      #expect(try read("\(directory)/link") == Self.text)
      #expect(lchown("\(directory)/link", Self.stranger, 0) == 0)
      #expect(problem("\(directory)/link")?.owner == Self.stranger)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files to groups"))
  func `The group of the user alone may write, another one may not`() throws {
    try withFile { (directory, path) throws in
      #expect(chmod(directory, 0o775) == 0 && chmod(path, 0o664) == 0)
      #expect(chown(directory, 0, 0) == 0 && chown(path, 0, 0) == 0)
      #expect(try read(path) == Self.text)
      #expect(chown(path, 0, Self.stranger) == 0)
      #expect(problem(path) == .writable(path, mode: "664"))
      #expect(chown(path, 0, 0) == 0 && chown(directory, 0, Self.stranger) == 0)
      guard case .path(path, .writable(directory, _))? = problem(path) else {
        Issue.record("\(String(describing: problem(path)))")
        return
      }
    }
  }

  @Test func `A file that is longer than it may be is refused`() throws {
    try withFile { (_, path) throws in
      #expect(try TrustedFile.read(path, .open, most: Self.text.count) == Self.text)
      let most = Self.text.count - 1
      #expect(throws: TrustedFile.Problem.tooLong(path, most: most)) {
        try TrustedFile.read(path, .open, most: most)
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can pass secrets as a service manager does"))
  func `A secret is its owner's, or its group's where a service manager passes it`() throws {
    try withFile { (directory, path) throws in
      #expect(try read(path, .secret) == Self.text)
      #expect(chmod(path, 0o440) == 0)
      #expect(problem(path, .secret) == .wide(path, mode: "440"))
      #expect(try read(path, .secret, credentials: directory) == Self.text)
      #expect(problem(path, .secret, credentials: "\(directory)/x") == .wide(path, mode: "440"))
      for mode: mode_t in [0o444, 0o640, 0o450] {
        #expect(chmod(path, mode) == 0)
        let found = problem(path, .secret, credentials: directory)
        #expect(found == .wide(path, mode: String(mode, radix: 8)))
      }
      #expect(chmod(path, 0o440) == 0 && chown(path, Self.stranger, 0) == 0)
      let found = problem(path, .secret, trusting: Self.stranger, credentials: directory)
      #expect(found == .wide(path, mode: "440"))
    }
  }

  // MARK: - Writing

  private func append(_ path: String, _ text: String, trusting trusted: UInt32? = nil) throws {
    let descriptor = try TrustedFile.openToAppend(path, trusting: trusted)
    defer { close(descriptor) }
    #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
  }

  private func refusal(
    _ path: String,
    trusting trusted: UInt32? = nil,
  ) -> TrustedFile.Problem? {
    #expect(throws: TrustedFile.Problem.self) { try append(path, "x", trusting: trusted) }
  }

  @Test func `Lines are added to a file of this user's, which is made where there is none`()
    throws
  {
    try withFile { (directory, path) throws in
      let new = "\(directory)/new"
      try append(new, "one,")
      try append(new, "two")
      #expect(try TrustedFile.read(new, .secret, most: 64) == Array("one,two".utf8))
      // Through links of this user, also to a file that does not exist yet.
      #expect(symlink("later", "\(directory)/link") == 0)
      try append("\(directory)/link", "three")
      #expect(try read("\(directory)/later") == Array("three".utf8))
      // In a shared sticky directory, files of this user stay this user's.
      #expect(chmod(directory, 0o1777) == 0)
      try append("\(directory)/shared", "four")
      try append(path, "!")
      #expect(try read(path) == Self.text + Array("!".utf8))
      #expect(refusal("\(directory)/none/x") == .failed("\(directory)/none", code: ENOENT))
      #expect(refusal(directory) == .failed(directory, code: EISDIR))
      #expect(access("\(directory)/none", F_OK) != 0)
    }
  }

  @Test func `An open pipe is written to, and one without a reader is refused at once`() throws {
    try withFile { (directory, _) throws in
      let named = "\(directory)/pipe"
      #expect(mkfifo(named, 0o600) == 0)
      #expect(refusal(named) == .failed(named, code: ENXIO))
      let reader = open(named, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      defer { close(reader) }
      try append(named, "one")
      var bytes = [UInt8](repeating: 0, count: 8)
      #expect(received(reader, &bytes) == 3)
      #expect(bytes.starts(with: Array("one".utf8)))
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      defer { for end in ends { close(end) } }
      try append("/dev/fd/\(ends[1])", "two")
      #expect(received(ends[0], &bytes) == 3)
      try append("/dev/null", "three")
    }
  }

  @Test func `What another user could have chosen is neither written to nor made`() throws {
    try withFile { (directory, path) throws in
      #expect(chmod(path, 0o622) == 0)
      #expect(refusal(path) == .writable(path, mode: "622"))
      #expect(chmod(path, 0o600) == 0 && link(path, "\(directory)/other") == 0)
      #expect(refusal(path) == .linked(path))
      #expect(unlink("\(directory)/other") == 0 && chmod(directory, 0o777) == 0)
      let secret = "\(directory)/secret"
      for place in [path, "\(directory)/new", secret] {
        guard case .path(place, .writable(directory, _))? = refusal(place) else {
          Issue.record("\(String(describing: refusal(place)))")
          continue
        }
        #expect(throws: TrustedFile.Problem.self) { try SecretFile.create(place, Self.text) }
      }
      #expect(access("\(directory)/new", F_OK) != 0 && access(secret, F_OK) != 0)
      #expect(chmod(directory, 0o755) == 0)
      try SecretFile.create(secret, Self.text)
      #expect(try read(path) == Self.text)
      guard geteuid() == 0 else { return }
      // Another user's file, link and directory.
      #expect(chown(path, Self.stranger, 0) == 0)
      #expect(refusal(path) == .ownedBy(path, Self.stranger))
      try append(path, "!", trusting: Self.stranger)
      #expect(chown(path, 0, 0) == 0 && chmod(directory, 0o1777) == 0)
      let link = "\(directory)/link"
      #expect(symlink("file", link) == 0 && lchown(link, Self.stranger, 0) == 0)
      #expect(refusal(link)?.owner == Self.stranger && refusal(link)?.isUnsafe == true)
      #expect(chmod(directory, 0o755) == 0 && chown(directory, Self.stranger, 0) == 0)
      #expect(refusal("\(directory)/new")?.owner == Self.stranger)
      try append("\(directory)/new", "!", trusting: Self.stranger)
      #expect(try read(path, trusting: Self.stranger) == Self.text + Array("!".utf8))
    }
  }
}

private func received(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
  read(descriptor, &bytes, bytes.count)
}
