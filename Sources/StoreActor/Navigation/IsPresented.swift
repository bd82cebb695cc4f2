extension DependencyValues {
  /// Whether the feature that asks is presented, and so can ``dismiss`` itself.
  public var isPresented: Bool {
    dismiss.action != nil
  }
}
