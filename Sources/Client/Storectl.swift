@main
struct Storectl { static func main() {} }
