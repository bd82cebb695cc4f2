import StoreBytes

/// The directory of a copy that is kept up to date, on this machine or another one.
///
/// All access is by commands of `sh`, so another machine needs no program of ours. Each command
/// writes a draft, compares its checksum, syncs it, and only then gives it its name. If a command
/// is interrupted, a draft remains at most.
package struct CopyPlace: Sendable {
  /// The directory's path on its machine.
  let directory: String
  /// The place as the user has named it.
  package let name: String
  /// Returns the program that runs a script there, and its arguments.
  private let program: @Sendable (_ script: String, _ words: [String]) -> [String]

  /// Creates a directory of this machine.
  package init(directory: String) {
    self.init(directory: directory, name: directory) { ["sh", "-c", $0, "sh"] + $1 }
  }

  /// Creates a directory of another machine.
  ///
  /// - Parameters:
  ///   - directory: The directory's path there.
  ///   - name: The place as the user has named it.
  ///   - remote: A program and its arguments, to which a command line for a shell is appended.
  package init(directory: String, name: String, by remote: [String]) {
    self.init(directory: directory, name: name) { script, words in
      let line = (["exec", "sh", "-c", script, "sh"] + words).map(ShellWord.quoted)
      return remote + [line.joined(separator: " ")]
    }
  }

  private init(
    directory: String,
    name: String,
    _ program: @escaping @Sendable (String, [String]) -> [String],
  ) {
    self.directory = directory
    self.name = name
    self.program = program
  }

  /// The exit codes of the scripts; `ssh` itself ends with 255 if it has no connection.
  private enum Status {
    static let occupied: Int32 = 3
    static let failed: Int32 = 4
    static let changed: Int32 = 5
    static let absent: Int32 = 6
    static let used: Int32 = 7
  }

  // The scripts are single lines without `'`, `!` and backslashes: every login shell passes them
  // on in single quotes.

  // Drafts have the number of their command in their names: a command that outlives its follower
  // can neither take nor damage the draft of another one.

  /// Begins or continues a copy: prints its list, an empty line, and its files with their checksums
  /// and sizes.
  private static let listing = """
    exec 2>&1; umask 077; mkdir -p "$1" && cd "$1" || exit 4; \
    if [ -e lock ]; then exit 7; fi; \
    if [ -f followed ]; then :; else \
    n=$(ls -A | grep -v "^followed[.]" | head -n 3); \
    if [ -n "$n" ]; then echo $n; exit 3; fi; \
    if [ -n "$3" ]; then exit 6; fi; d=followed.$$.copying; \
    echo "$2" > $d && sync $d && mv $d followed && sync . || exit 4; fi; \
    mkdir -p log snapshots || exit 4; \
    rm -f followed.*.copying log/*.copying snapshots/*.copying || exit 4; \
    cat followed || exit 4; echo; \
    for f in log/* snapshots/*; do if [ -f "$f" ]; then \
    if [ -n "$4" ] && grep -qF " $f" followed; \
    then echo - $(wc -c < "$f") "$f"; else cksum "$f"; fi || exit 4; \
    fi; done
    """

  /// Writes its input to a file, or to the end of one, and adds a line to the list.
  ///
  /// The file must still be the one that is to be replaced when its draft is complete.
  private static let writing = """
    exec 2>&1; umask 077; cd "$1" || exit 4; n=$2.$$.copying; \
    if [ -n "$4" ]; then cp "$2" "$n" || exit 4; else : > "$n" || exit 4; fi; \
    cat >> "$n" || { rm -f "$n"; exit 4; }; \
    s=$(cksum < "$n") || exit 4; \
    if [ "$s" = "$3" ]; then :; else rm -f "$n"; echo "$s"; exit 5; fi; \
    sync "$n" || { rm -f "$n"; exit 4; }; \
    if [ -e "$2" ]; then s=$(cksum < "$2") || exit 4; else s=; fi; \
    if [ "$6" = any ] || [ "$s" = "$6" ]; then :; else rm -f "$n"; echo "$s"; exit 5; fi; \
    mv "$n" "$2" && sync "${2%/*}" || exit 4; \
    if [ -n "$5" ]; then echo "$5" >> followed && sync followed || exit 4; fi
    """

  private static let reading = #"exec 2>&1; cd "$1" && cat "$2" || exit 4"#

  private static let removing = #"""
    exec 2>&1; cd "$1" || exit 4; shift; rm -f "$@" || exit 4
    """#

  /// The most bytes of an answer that are kept; a list has some 100 bytes for a file.
  private static let mostBytes = 64 << 20

  /// A file of the copy, as it is there.
  struct Found: Hashable {
    let name: String
    /// The checksum and the size, as ``CopyChecksum/text`` has them; `-` for an omitted checksum.
    let sum: String

    var bytes: Int { CopyChecksum.bytes(in: sum) }

    /// Whether the file is as it was listed.
    func fits(_ listed: CopyList.File) -> Bool {
      sum.hasPrefix("-") ? bytes == listed.bytes : sum == listed.sum
    }
  }

  /// The file that a write may replace.
  enum Former {
    /// Whatever has the name.
    case any
    /// The file with this checksum, as ``CopyChecksum/text`` has it.
    case file(String)

    fileprivate var word: String {
      switch self {
      case .any: "any"
      case .file(let sum): sum
      }
    }
  }

  /// Creates the directory unless it exists, and lists it.
  ///
  /// - Parameters:
  ///   - heading: The first line of a new list.
  ///   - mustExist: Whether to refuse an empty directory.
  ///   - isQuick: Whether to compare only the sizes of listed files.
  /// - Returns: The list's lines, and the files.
  /// - Throws: ``JournalError``.
  func list(
    heading: String,
    mustExist: Bool,
    isQuick: Bool,
  ) throws(JournalError) -> (lines: [String], files: [Found]) {
    let words = [heading, mustExist ? "existing" : "", isQuick ? "quick" : ""]
    let answer = try run(Self.listing, words)
    // A login shell may print something first.
    let lines = answer.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      .drop { !CopyList.isHeading($0) }
    let end = lines.firstIndex(of: "") ?? lines.endIndex
    let files = lines[end...].compactMap { line -> Found? in
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      return parts.count == 3 ? Found(name: parts[2], sum: "\(parts[0]) \(parts[1])") : nil
    }
    return (Array(lines[..<end]), files)
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - name: The file.
  ///   - isRest: Whether the file exists, and the bytes are appended to it.
  ///   - sum: The checksum of the whole file.
  ///   - line: A line for the list.
  ///   - former: The file that is replaced.
  /// - Throws: ``JournalError``.
  func write(
    _ bytes: ArraySlice<UInt8>,
    to name: String,
    isRest: Bool = false,
    _ sum: CopyChecksum,
    listing line: String? = nil,
    replacing former: Former = .any,
  ) throws(JournalError) {
    let words = [name, sum.text, isRest ? "rest" : "", line ?? "", former.word]
    _ = try run(Self.writing, words, bytes)
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - name: The file.
  ///   - sum: Its checksum there; nil if it is not known.
  /// - Returns: Its bytes.
  /// - Throws: ``JournalError``.
  func read(_ name: String, _ sum: String?) throws(JournalError) -> [UInt8] {
    let bytes = try output(Self.reading, [name], [], atMost: LoadedSegment.largest)
    if let sum, sum != CopyChecksum(bytes[...]).text {
      throw JournalError(
        .busy,
        "\(name) was not received from \(self.name) as it is there: \(bytes.count) bytes.",
      )
    }
    return bytes
  }

  /// Removes files.
  func remove(_ names: [String]) throws(JournalError) {
    for start in stride(from: 0, to: names.count, by: Self.namesAtOnce) {
      _ = try run(Self.removing, Array(names[start...].prefix(Self.namesAtOnce)))
    }
  }

  /// The most names in one command: the system limits the bytes of arguments.
  private static let namesAtOnce = 256

  private func run(
    _ script: String,
    _ words: [String],
    _ input: ArraySlice<UInt8> = [],
  ) throws(JournalError) -> String {
    String(decoding: try output(script, words, input, atMost: Self.mostBytes), as: UTF8.self)
  }

  private func output(
    _ script: String,
    _ words: [String],
    _ input: ArraySlice<UInt8>,
    atMost most: Int,
  ) throws(JournalError) -> [UInt8] {
    let (status, output): (Int32, [UInt8])
    do throws(ChildProgram.Failure) {
      let child = try ChildProgram(program(script, [directory] + words))
      (status, output) = child.run(input, atMost: most)
    } catch {
      throw JournalError(.busy, "Could not start a command for \(name): \(error.reason).")
    }
    guard status != 0 else { return output }
    throw failure(status, String(decoding: output.suffix(500), as: UTF8.self))
  }

  private func failure(_ status: Int32, _ output: String) -> JournalError {
    let reason = output.split(separator: "\n").suffix(2).joined(separator: " ")
    switch status {
    case Status.occupied:
      return JournalError(
        .occupied,
        "\(name) has files and is no copy: \(reason). Name a directory that is empty, or new.",
      )
    case Status.used:
      return JournalError(
        .occupied,
        "A daemon has used \(name): it has a lock. Its history may have gone on there, so the copy "
          + "is not continued. Name another directory.",
      )
    case Status.absent:
      return JournalError(
        .busy,
        "\(name) is empty or absent, and a copy was kept there. Mount its disk. To begin a new "
          + "copy, remove the note on it in \(FollowerNote.folderName), in the data directory.",
      )
    case Status.changed:
      return JournalError(
        .busy,
        "\(name) has changed, or a transfer was interrupted: a file there has the checksum "
          + "\(reason). It is compared again.",
      )
    case Status.failed:
      return JournalError(.busy, "\(name) could not be written or read: \(reason)")
    default:
      return JournalError(
        .busy,
        "\(name) cannot be reached: its command ended with \(status). \(reason)",
      )
    }
  }
}
