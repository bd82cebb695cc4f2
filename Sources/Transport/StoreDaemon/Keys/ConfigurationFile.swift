import ZeroMQ

/// Reads the files that configure a daemon and its peers' rights.
package enum ConfigurationFile {
  /// Reads a text that no other user can have modified.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: The most bytes that it may have.
  ///   - trusted: A further allowed owner of the file, besides this user and root.
  /// - Returns: The text; nil if the file does not exist.
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
  /// Describes why a file of the configuration cannot be used.
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
