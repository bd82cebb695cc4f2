import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Files that decide what others may do", .timeLimit(.minutes(1)))
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
      // A file of this user's that somebody else could have put there.
      #expect(chown(path, 0, 0) == 0 && chown(directory, Self.stranger, 0) == 0)
      let foreign = TrustedPath.Problem.foreign(directory, owner: Self.stranger)
      #expect(problem(path) == .path(path, foreign) && problem(path)?.owner == Self.stranger)
      #expect(TrustedFile.problem(path, .open, most: 64) == .path(path, foreign))
      #expect(try read(path, trusting: Self.stranger) == Self.text)
      // And a link of somebody else's.
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
}
