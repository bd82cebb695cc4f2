// The part of ncurses that Swift needs, as functions: Swift does not import macros, variadic
// functions, `cchar_t` and globals. Signal handlers restore the terminal's original state.
//
// This target is a system library and holds no C file: helpers are `static inline`. Each file that
// includes this header has its own copy of the state, so only one file does: see TerminalCurses.

#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H

#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <ncurses.h>
#include <term.h>

// term.h and ncurses.h define short words as macros. They must not collide with Swift's names.
#undef lines
#undef columns
#undef tab
#undef bell

// MARK: Restoring the terminal

typedef struct ccurses_state {
  // The terminal's original modes.
  struct termios modes;
  // The bytes that restore the terminal's screen, cursor and keypad.
  char leave[512];
  size_t leave_count;
  // The writing end of a pipe: handlers write the signals that the program has to handle.
  int notes;
  // Whether the terminal must be restored.
  volatile sig_atomic_t is_open;
  // Whether colours are wanted and available. Otherwise ncurses has no colour pairs.
  bool is_colorful;
  // Whether the terminal may distinguish pasted text from keys, with bracketed paste.
  bool brackets_pastes;
  // Whether a character in the last column of the last row would scroll the screen.
  bool scrolls;
  // The bytes that are not written yet.
  char *output;
  size_t output_count, output_room;
  // The stack of signal handlers: a stack that has overflowed has no room for a handler.
  char stack[32 * 1024];
} ccurses_state;

// The state is inside of a function, since Swift does not import a header's static variables.
static inline ccurses_state *ccurses(void) {
  static ccurses_state state;
  return &state;
}

// Restores the terminal. It calls only functions that POSIX allows in handlers.
static inline void ccurses_restore(void) {
  if (!ccurses()->is_open) return;
  ccurses()->is_open = 0;
  ssize_t ignored = write(STDOUT_FILENO, ccurses()->leave, ccurses()->leave_count);
  (void)ignored;
  tcsetattr(STDIN_FILENO, TCSANOW, &ccurses()->modes);
}

// Ends the process by the signal, whose default action is set again (SA_RESETHAND).
static inline void ccurses_die(int number) {
  ccurses_restore();
  raise(number);
}

static inline void ccurses_note(int number) {
  int before = errno;
  char note = (char)number;
  ssize_t ignored = write(ccurses()->notes, &note, 1);
  (void)ignored;
  errno = before;
}

static inline void ccurses_handle(int number, void (*handler)(int), int flags) {
  struct sigaction old;
  // A signal that was ignored at the start of the program stays ignored.
  if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN) return;
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  // A blocked SIGTTOU lets a program in the background set the terminal's modes.
  sigaddset(&action.sa_mask, SIGTTOU);
  sigaction(number, &action, NULL);
}

// The signals that end the program, terminated by 0.
static inline const int *ccurses_ends(void) {
  static const int ends[] = {
    SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGHUP, SIGQUIT, SIGTERM, SIGINT, 0,
  };
  return ends;
}

// Installs handlers: signals that end the program restore the terminal first; a new size and Ctrl-Z
// are written to the pipe.
static inline bool ccurses_watch_signals(int *notes) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  for (int end = 0; end < 2; end++) {
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
  }
  ccurses()->notes = ends[1];
  *notes = ends[0];
  stack_t stack;
  memset(&stack, 0, sizeof(stack));
  stack.ss_sp = ccurses()->stack;
  stack.ss_size = sizeof(ccurses()->stack);
  sigaltstack(&stack, NULL);
  for (const int *end = ccurses_ends(); *end; end++) {
    ccurses_handle(*end, ccurses_die, SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
  }
  ccurses_handle(SIGWINCH, ccurses_note, SA_RESTART);
  ccurses_handle(SIGTSTP, ccurses_note, SA_RESTART);
  return true;
}

static inline void ccurses_forget_signals(int notes) {
  for (const int *end = ccurses_ends(); *end; end++) signal(*end, SIG_DFL);
  signal(SIGWINCH, SIG_DFL);
  signal(SIGTSTP, SIG_DFL);
  close(notes);
  close(ccurses()->notes);
}

// Appends a capability without its padding, which current terminals do not need.
static inline void ccurses_leave_by(const char *text) {
  if (!text || text == (const char *)-1) return;
  while (*text && ccurses()->leave_count < sizeof(ccurses()->leave)) {
    if (text[0] == '$' && text[1] == '<') {
      const char *end = strchr(text, '>');
      if (end) { text = end + 1; continue; }
    }
    ccurses()->leave[ccurses()->leave_count++] = *text++;
  }
}

// MARK: The terminal

static inline void ccurses_send(const char *capability);

// Switches bracketed paste on or off with the next flush: pasted text is between ESC [200~ and
// ESC [201~.
static inline void ccurses_bracket_pastes(bool wanted) {
  if (ccurses()->brackets_pastes) ccurses_send(wanted ? "\033[?2004h" : "\033[?2004l");
}

static inline bool ccurses_is_terminal(void) {
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

// Takes the terminal; false if it is unknown, or if its cursor cannot be moved.
static inline bool ccurses_open(bool wants_color) {
  if (tcgetattr(STDIN_FILENO, &ccurses()->modes) != 0) return false;
  int error;
  if (setupterm(NULL, STDOUT_FILENO, &error) != OK) return false;
  const char *move = tigetstr("cup");
  if (!move || move == (const char *)-1 || tigetflag("gn") > 0) return false;
  if (!newterm(NULL, stdout, stdin)) return false;
  ccurses()->leave_count = 0;
  const char *names[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
  for (size_t name = 0; name < sizeof(names) / sizeof(*names); name++) {
    ccurses_leave_by(tigetstr(names[name]));
  }
  const char *mouse = tigetstr("kmous");
  if (mouse && mouse != (const char *)-1) ccurses_leave_by("\033[?1006l\033[?1000l");
  // Terminals of this kind ignore the mode if they do not have it.
  ccurses()->brackets_pastes = strncmp(move, "\033[", 2) == 0;
  if (ccurses()->brackets_pastes) ccurses_leave_by("\033[?2004l");
  ccurses()->is_open = 1;
  cbreak();
  noecho();
  nonl();
  intrflush(stdscr, FALSE);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  ccurses()->is_colorful = wants_color && has_colors() && start_color() == OK;
  if (ccurses()->is_colorful) use_default_colors();
  ccurses()->scrolls = auto_right_margin && !eat_newline_glitch;
  mouseinterval(0);
  mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
  // ncurses initializes the screen here, and does not write to it afterwards.
  refresh();
  ccurses_bracket_pastes(true);
  return true;
}

// MARK: Output
//
// ncurses knows the terminal's capabilities. The caller decides the place of each text: ncurses
// moves the cursor by its own width of a character, and a terminal may have drawn it wider.

static inline int ccurses_byte(int byte) {
  if (ccurses()->output_count == ccurses()->output_room) {
    size_t room = ccurses()->output_room * 2 + 4096;
    char *output = realloc(ccurses()->output, room);
    if (!output) return ERR;
    ccurses()->output = output;
    ccurses()->output_room = room;
  }
  ccurses()->output[ccurses()->output_count++] = (char)byte;
  return byte;
}

static inline void ccurses_send(const char *capability) {
  if (capability) tputs(capability, 1, ccurses_byte);
}

// Moves the cursor from any position.
static inline void ccurses_move(int y, int x) {
  if (cursor_address) ccurses_send(tiparm(cursor_address, y, x));
}

// Writes characters where the cursor is.
static inline void ccurses_write(const uint8_t *bytes, int count) {
  for (int place = 0; place < count; place++) ccurses_byte(bytes[place]);
}

// Empties the screen.
static inline void ccurses_clear(void) {
  vid_puts(A_NORMAL, 0, NULL, ccurses_byte);
  ccurses_send(clear_screen);
}

// Writes the pending output to the terminal, and shows or hides the cursor.
static inline void ccurses_flush(bool shows_cursor) {
  ccurses_send(shows_cursor ? cursor_normal : cursor_invisible);
  size_t written = 0;
  while (written < ccurses()->output_count) {
    ssize_t count =
        write(STDOUT_FILENO, ccurses()->output + written, ccurses()->output_count - written);
    if (count > 0) { written += (size_t)count; continue; }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) break;
    // Another program that shares the terminal has made it non-blocking.
    struct pollfd item = { .fd = STDOUT_FILENO, .events = POLLOUT };
    poll(&item, 1, -1);
  }
  ccurses()->output_count = 0;
}

// Whether a character in the last column of the last row would scroll the screen.
static inline bool ccurses_scrolls(void) { return ccurses()->scrolls; }

// Gives the terminal back.
static inline void ccurses_leave(void) {
  vid_puts(A_NORMAL, 0, NULL, ccurses_byte);
  // On a terminal without an alternate screen, later output begins in the last line.
  ccurses_move(LINES - 1, 0);
  ccurses_send(clr_eol);
  ccurses_bracket_pastes(false);
  ccurses_flush(true);
  endwin();
  ccurses()->is_open = 0;
}

static inline void ccurses_close(void) {
  if (ccurses()->is_open) ccurses_leave();
}

static inline int ccurses_columns(void) { return getmaxx(stdscr); }
static inline int ccurses_rows(void) { return getmaxy(stdscr); }

// Adopts the terminal's current size.
static inline void ccurses_resize(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return;
  resizeterm(size.ws_row, size.ws_col);
  refresh();
}

// Gives the terminal back, stops the process for Ctrl-Z, and takes the terminal when it continues.
static inline void ccurses_stop(void) {
  ccurses_leave();
  signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  ccurses_handle(SIGTSTP, ccurses_note, SA_RESTART);
  ccurses()->is_open = 1;
  clearok(curscr, TRUE);
  refresh();
  ccurses_bracket_pastes(true);
}

enum {
  CCURSES_BOLD = 1,
  CCURSES_UNDERLINED = 2,
  CCURSES_REVERSED = 4,
  CCURSES_DIM = 8,
};

// Sets the style of the next text; a colour below 0 is the default colour.
static inline void ccurses_style(int style, int foreground, int background) {
  attr_t attributes = A_NORMAL;
  if (style & CCURSES_BOLD) attributes |= A_BOLD;
  if (style & CCURSES_UNDERLINED) attributes |= A_UNDERLINE;
  if (style & CCURSES_REVERSED) attributes |= A_REVERSE;
  if (style & CCURSES_DIM) attributes |= A_DIM;
  int pair = 0;
  if (ccurses()->is_colorful && (foreground >= 0 || background >= 0)) {
    pair = alloc_pair(foreground, background);
    if (pair < 0) pair = 0;
  }
  vid_puts(attributes, (short)pair, NULL, ccurses_byte);
}

enum {
  CCURSES_NOTHING = 0,
  CCURSES_CHARACTER,
  CCURSES_ENTER,
  CCURSES_BACKSPACE,
  CCURSES_DELETE,
  CCURSES_BACKTAB,
  CCURSES_UP,
  CCURSES_DOWN,
  CCURSES_LEFT,
  CCURSES_RIGHT,
  CCURSES_HOME,
  CCURSES_END,
  CCURSES_PAGE_UP,
  CCURSES_PAGE_DOWN,
  CCURSES_PRESS,
  CCURSES_WHEEL_UP,
  CCURSES_WHEEL_DOWN,
  CCURSES_OTHER,
};

static inline int ccurses_mouse(int *y, int *x) {
  MEVENT event;
  if (getmouse(&event) != OK) return CCURSES_OTHER;
  *y = event.y;
  *x = event.x;
  if (event.bstate & BUTTON4_PRESSED) return CCURSES_WHEEL_UP;
  if (event.bstate & BUTTON5_PRESSED) return CCURSES_WHEEL_DOWN;
  if (event.bstate & BUTTON1_PRESSED) return CCURSES_PRESS;
  return CCURSES_OTHER;
}

// Reads the next input, if any: a character, or one of the keys above.
static inline int ccurses_read(uint32_t *character, int *y, int *x) {
  wint_t read;
  switch (get_wch(&read)) {
  case OK: *character = (uint32_t)read; return CCURSES_CHARACTER;
  case KEY_CODE_YES: break;
  default: return CCURSES_NOTHING;
  }
  switch (read) {
  case KEY_ENTER: return CCURSES_ENTER;
  case KEY_BACKSPACE: return CCURSES_BACKSPACE;
  case KEY_DC: return CCURSES_DELETE;
  case KEY_BTAB: return CCURSES_BACKTAB;
  case KEY_UP: return CCURSES_UP;
  case KEY_DOWN: return CCURSES_DOWN;
  case KEY_LEFT: return CCURSES_LEFT;
  case KEY_RIGHT: return CCURSES_RIGHT;
  case KEY_HOME: return CCURSES_HOME;
  case KEY_END: return CCURSES_END;
  case KEY_PPAGE: return CCURSES_PAGE_UP;
  case KEY_NPAGE: return CCURSES_PAGE_DOWN;
  case KEY_MOUSE: return ccurses_mouse(y, x);
  default: return CCURSES_OTHER;
  }
}

#endif
