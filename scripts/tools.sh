# shellcheck shell=bash
# What ./serve and ./check share: saying what happens, and having the tools.
#
# Every `need_*` function leaves things as they are when the tool is already there at the right version,
# otherwise says what it installs, installs it, and checks that it runs. Tools built from source go to a folder
# of Warpscope's own, so that nothing you installed yourself is replaced; only compilers, browsers and the like
# come from the system's package manager.

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TOOLS=${XDG_CACHE_HOME:-$HOME/.cache}/warpscope/tools
PATH=$TOOLS/bin:${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
export PATH

WASM_TARGET=wasm32-unknown-unknown
TRUNK_VERSION=0.21.14
AXE_VERSION=4.14.0

say() {
    if [ -t 1 ]; then printf '\033[1m==> %s\033[0m\n' "$*"; else printf '==> %s\n' "$*"; fi
}

die() {
    printf '\n%s: %s\n' "$(basename "$0")" "$1" >&2
    shift
    if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# reports_version COMMAND VERSION: the command runs and calls itself that version.
reports_version() { have "$1" && [ "$("$1" --version 2>/dev/null | awk 'NR == 1 { print $2 }')" = "$2" ]; }

# locked_version CRATE: the version Cargo.lock holds the crate at.
locked_version() {
    awk -v crate="name = \"$1\"" '$0 == crate { getline; gsub(/version = |"/, ""); print; exit }' "$REPO/Cargo.lock"
}

need_rust() {
    if ! have cargo || ! have rustup; then
        die "Rust's stable toolchain, managed by rustup, is needed and was not found." \
            "Install it as https://rustup.rs says, open a new shell, and run this again."
    fi
    # cargo links with the system's C compiler.
    if ! have cc; then apt_install "a linker for Rust" gcc libc6-dev; fi
    have cc || die "No C compiler (cc) to link with was found, and installing gcc did not provide one."
}

need_component() {
    local component
    for component in "$@"; do
        if ! rustup component list --installed | grep -q "^$component"; then
            say "Installing Rust's $component"
            rustup component add "$component" ||
                die "rustup could not install $component." "Is the network reachable?"
        fi
    done
}

need_wasm_target() {
    if ! rustup target list --installed | grep -qx "$WASM_TARGET"; then
        say "Installing Rust's target $WASM_TARGET"
        rustup target add "$WASM_TARGET" ||
            die "rustup could not install the target $WASM_TARGET." "Is the network reachable?"
    fi
}

need_trunk() {
    if reports_version trunk "$TRUNK_VERSION"; then return; fi
    say "Building Trunk $TRUNK_VERSION into $TOOLS (about 3 minutes)"
    # Trunk spends its time waiting for cargo: a build without optimisation serves as well and takes a fifth of the time.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 cargo_install trunk "$TRUNK_VERSION" --locked --no-default-features
    reports_version trunk "$TRUNK_VERSION" || die "Trunk was installed into $TOOLS, but does not run as $TRUNK_VERSION."
}

# The command line tool and the library must speak the same version, so the version is the one of Cargo.lock.
need_wasm_bindgen() {
    local version
    version=$(locked_version wasm-bindgen)
    [ -n "$version" ] || die "Cargo.lock does not name a version of wasm-bindgen."
    if reports_version wasm-bindgen "$version" && reports_version wasm-bindgen-test-runner "$version"; then return; fi
    say "Building wasm-bindgen-cli $version into $TOOLS (about 2 minutes)"
    # Not --locked: the lock file that this crate ships can name versions that are no longer offered. Without its default features
    # it cannot fetch a browser's driver, which nobody asks it to, and needs no cryptography.
    # Only what reads and writes modules is optimised, because it does so at every build.
    local config=() crate
    for crate in walrus wasmparser wasm-encoder wasm-bindgen-cli-support; do
        config+=(--config "profile.release.package.$crate.opt-level=1")
    done
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 cargo_install wasm-bindgen-cli "$version" --no-default-features "${config[@]}"
    reports_version wasm-bindgen "$version" ||
        die "wasm-bindgen was installed into $TOOLS, but does not run as $version."
}

# Trunk and wasm-bindgen, built side by side: neither keeps two cores busy to its end.
need_page_tools() {
    need_trunk &
    local trunk=$!
    need_wasm_bindgen
    wait "$trunk" || exit 1
}

# cargo_install CRATE VERSION FLAGS...: from source, into $TOOLS. Run outside the checkout, whose cargo settings are not meant for tools.
cargo_install() {
    local crate=$1 version=$2
    shift 2
    mkdir -p "$TOOLS"
    (cd "$TOOLS" && unset CARGO_TARGET_DIR CARGO_BUILD_TARGET &&
        CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
            cargo install "$crate" --version "$version" --root "$TOOLS" --force "$@") ||
        die "cargo could not install $crate $version." \
            "If the messages above speak of the network: it is needed this once, to fetch the crate." \
            "Or install $crate $version yourself, anywhere on PATH, and run this again."
}

# apt_install WHAT PACKAGE...: as root, or with sudo.
apt_install() {
    local what=$1 as_root=()
    shift
    if ! have apt-get; then
        die "Missing: $what. There is no apt-get to install it with." \
            "Install it by hand (on Debian: $*) and run this again."
    fi
    if [ "$(id -u)" != 0 ]; then
        have sudo || die "Missing: $what. Installing it needs root: apt-get install $*"
        as_root=(sudo)
    fi
    say "Installing $what: apt-get install $*"
    # A temporary folder of its own: apt fails when a shared one is cleaned meanwhile.
    local scratch status=0
    scratch=$(mktemp -d)
    chmod 755 "$scratch"
    apt_run "$scratch" install -y --no-install-recommends "$@" ||
        { apt_run "$scratch" update && apt_run "$scratch" install -y --no-install-recommends "$@"; } || status=$?
    rm -rf "$scratch"
    [ "$status" = 0 ] || die "apt-get could not install $what ($*)." "Is the network reachable?"
}

apt_run() {
    local scratch=$1
    shift
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive TMPDIR="$scratch" apt-get -qq "$@" >/dev/null
}

# first_that_runs COMMAND...: prints the path of the first that answers --version.
first_that_runs() {
    local candidate
    for candidate in "$@"; do
        if [ -n "$candidate" ] && have "$candidate" && "$candidate" --version >/dev/null 2>&1; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

find_browser() {
    CHROMIUM=$(first_that_runs "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable) || CHROMIUM=
    CHROMEDRIVER=$(first_that_runs "${CHROMEDRIVER:-}" chromedriver /usr/lib/chromium-browser/chromedriver \
        /snap/bin/chromium.chromedriver) || CHROMEDRIVER=
    export CHROMIUM CHROMEDRIVER
    [ -n "$CHROMIUM" ] && [ -n "$CHROMEDRIVER" ]
}

# Chromium and its driver, left in $CHROMIUM and $CHROMEDRIVER. Set both beforehand to use a pair of your own.
need_browser() {
    if find_browser; then return; fi
    # Debian's names; Ubuntu has its own, which bring the snap.
    if apt-cache show chromium-driver >/dev/null 2>&1 || ! apt-cache show chromium-chromedriver >/dev/null 2>&1; then
        apt_install "Chromium and its driver" chromium chromium-driver fonts-liberation
    else
        apt_install "Chromium and its driver" chromium-browser chromium-chromedriver fonts-liberation
    fi
    find_browser || die "Chromium and chromedriver were installed, but do not run." \
        "Install a pair that does, and name it: CHROMIUM=/path CHROMEDRIVER=/path ./check"
}

# axe-core, which finds what keeps people with other means than a mouse and good eyes from using the page; its path is left in
# $WARPSCOPE_AXE. Only the browser tests use it.
need_axe() {
    export WARPSCOPE_AXE=$TOOLS/axe-core-$AXE_VERSION/axe.min.js
    if [ -s "$WARPSCOPE_AXE" ]; then return; fi
    have npm || die "npm is needed to fetch axe-core for the browser tests, and was not found." \
        "Install it (on Debian: apt-get install npm) and run this again."
    say "Fetching axe-core $AXE_VERSION into $TOOLS"
    local scratch
    scratch=$(mktemp -d)
    (cd "$scratch" && npm pack --silent "axe-core@$AXE_VERSION" >/dev/null && tar -xzf "axe-core-$AXE_VERSION.tgz" package/axe.min.js) ||
        die "npm could not fetch axe-core $AXE_VERSION." "Is the network reachable?"
    mkdir -p "$(dirname "$WARPSCOPE_AXE")"
    mv "$scratch/package/axe.min.js" "$WARPSCOPE_AXE"
    rm -rf "$scratch"
}

# build_page FOLDER: the page in release, by Trunk.
build_page() { (cd "$REPO" && trunk build --release --locked --dist "$1"); }

# build_draft FOLDER: the page as ./serve shows it while somebody edits, soon built and incremental.
build_draft() { (cd "$REPO" && trunk build --cargo-profile draft --no-sri=true --locked --dist "$1"); }
