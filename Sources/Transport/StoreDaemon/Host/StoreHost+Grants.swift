import Logging
import StoreActor
import StoreHistory
import ZeroMQ

/// Admission: the file of grants, and keys.
extension StoreHost {
  func makeGrantsFile() -> GrantsFile {
    GrantsFile(
      configuration.grants ?? "\(configuration.directory)/grants",
      exposed: exposures.map(\.description),
      trusting: configuration.trustedOwner,
    )
  }

  func keyService(
    _ file: GrantsFile,
    _ sockets: HostSockets,
    _ key: CurvePair?,
  ) -> KeyService {
    let keys = KeyService(
      file,
      files,
      sockets,
      door: key.map { ($0.publicKey, configuration.encryptedAddresses) },
      logger: logger,
    )
    // Changes that people make afterwards are read afterwards.
    keys.onChange = { [weak self] in self?.changed($0.grants) }
    keys.onRevocationInVain = { [weak self] in self?.forget(key: $0) ?? false }
    return keys
  }

  /// The key pair by which clients over tcp authenticate the daemon; nil if no address of the
  /// daemon requires keys.
  func daemonKey() throws(HostError) -> CurvePair? {
    guard !configuration.encryptedAddresses.isEmpty else { return nil }
    let path = configuration.key ?? "\(configuration.directory)/key"
    do {
      return try DaemonKey.pair(in: path, trusting: configuration.trustedOwner)
    } catch let problem as TrustedFile.Problem {
      let error = HostError(problem)
      let option = configuration.hasOptions ? "Or name another file with --key." : ""
      throw HostError(
        .notAllowed,
        error.message,
        remedy: error.remedy.isEmpty ? option : error.remedy,
      )
    } catch {
      throw HostError(.system, "\(error)", remedy: "")
    }
  }

  func warnOfPlainAddresses() {
    for address in configuration.plainAddresses where address.hasPrefix("tcp://") {
      logger.warning(
        "Every user of this machine may do everything at \(address): it asks for no key."
      )
    }
  }

  func readGrants(_ file: GrantsFile) throws(HostError) -> Grants {
    do throws(GrantsFile.Problem) {
      return try file.read()
    } catch {
      let remedy = error.code == .configuration ? "Correct it, or remove it." : ""
      throw HostError(error.code, "\(error)", remedy: remedy)
    }
  }

  func letOthersReach(_ isOpen: Bool) throws(HostError) {
    let paths = configuration.socketDirectories
    for directory in directories where paths.contains(directory.path) {
      try directory.letOthersReach(isOpen)
    }
  }

  /// Applies a change of the file of grants.
  ///
  /// A file with a mistake adds no grants, and revokes only the rights of peers that it no longer
  /// names: a revocation must not wait until another line is corrected.
  func changed(_ result: Result<Grants, GrantsFile.Problem>) {
    switch result {
    case .success(let grants):
      hold(to: grants)
      logger.notice("The grants are read again.", metadata: ["lines": "\(grants.lines.count)"])
    case .failure(let problem):
      let left = problem.named.map { grants.limited(to: $0) } ?? grants
      guard left != grants else {
        return logger.error("The grants stay as they were: \(problem)")
      }
      hold(to: left)
      logger.error(
        "Holders without a line lose their grants. All other grants stay as they were: \(problem)",
        metadata: ["lines": "\(left.lines.count)"],
      )
    }
  }

  /// Revokes a key that is still in the file.
  ///
  /// - Returns: False if there is no such key.
  private func forget(key name: String) -> Bool {
    let left = grants.without(key: name)
    guard left != grants else { return false }
    hold(to: left)
    logger.notice("A key is cut off, but still in the file.", metadata: ["key": "\(name)"])
    return true
  }

  private func hold(to grants: Grants) {
    self.grants = grants
    service?.apply(grants)
    do throws(HostError) {
      try letOthersReach(grants.includesUsers)
    } catch {
      logger.error("\(error)")
    }
  }
}
