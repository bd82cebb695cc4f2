#if !canImport(Darwin)
public import Foundation

extension URL {
  /// The user's directory of documents, for platforms on which Foundation has no name for it.
  ///
  /// ```swift
  /// @Shared(.fileStorage(.documentsDirectory.appending(component: "books.json")))
  /// var books: [Book] = []
  /// ```
  ///
  /// `$XDG_DOCUMENTS_DIR` or the user's settings determine it; the default is `Documents` in the
  /// home directory. It need not exist: `.fileStorage` creates it on a write.
  public static var documentsDirectory: URL {
    let known = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
    return known ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: "Documents")
  }
}
#endif
