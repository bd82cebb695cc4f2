import StoreBytes

extension String {
  /// The text in quotation marks, as a message quotes a peer's text.
  package var quoted: String { "\"\(bounded(toBytes: TextLimits.quotedBytes))\"" }
}
