import ZeroMQ

/// Reads the files that say what a daemon does and what others may do.
package enum ConfigurationFile {
  /// Reads a text, of which no other user can have chosen a word.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: The most bytes that it may have.
  ///   - trusted: A user whom the file may belong to, besides this one and root.
  /// - Returns: The text; nil where there is no such file.
  /// - Throws: ``HostError``.
  package static func text(
    _ path: String,
    most: Int = 1 << 20,
    trusting trusted: UInt32?,
  ) throws(HostError) -> String? {
    let bytes: [UInt8]
    do throws(TrustedFile.Problem) {
      bytes = try TrustedFile.read(path, .open, most: most, trusting: trusted)
    } catch .missing {
      return nil
    } catch {
      throw HostError(error)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw HostError(
        .configuration,
        "\(path) is not a text in UTF-8.",
        remedy: "Save it as one.",
      )
    }
    return text
  }
}

extension HostError {
  /// Why a file of the configuration cannot be used.
  init(_ problem: TrustedFile.Problem) {
    let code: Code =
      switch problem {
      case .missing, .irregular, .failed: .unreadable
      case .tooLong, .malformed: .configuration
      case .occupied: .cannotCreate
      case .ownedBy, .writable, .wide, .linked, .path: .notAllowed
      }
    let remedy = problem.owner.map { "Or trust that user, with --trust-owner \($0)." } ?? ""
    self.init(code, "\(problem)", remedy: remedy)
  }
}
