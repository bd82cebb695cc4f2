#if !canImport(Darwin)
public import Foundation

extension URL {
  /// The user's directory of documents, where Foundation has no name for it.
  ///
  /// ```swift
  /// @Shared(.fileStorage(.documentsDirectory.appending(component: "books.json")))
  /// var books: [Book] = []
  /// ```
  ///
  /// It is what `$XDG_DOCUMENTS_DIR` or the user's settings say, else `Documents` in the home
  /// directory. It need not exist: `.fileStorage` makes it when it writes.
  public static var documentsDirectory: URL {
    let known = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
    return known ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: "Documents")
  }
}
#endif
