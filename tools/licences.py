# SPDX-License-Identifier: Apache-2.0
"""Licences of the foreign parts of a release, as SPDX expressions, by Debian's source packages. Debian's copyright files list the
licences of all files of a source, tests and build scripts among them; this is the licence of the library that is packed or compiled in."""
from libraries import fail

QT = "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only"

# A key is the beginning of "SOURCE VERSION", up to a blank or a dot.
LICENCES = {
    "boost1": "BSL-1.0",
    "brotli": "MIT",
    "cli11": "BSD-3-Clause",
    "curl": "curl",
    "cyrus-sasl2": "BSD-Attribution-HPND-disclaimer",
    "dbus": "AFL-2.1 OR GPL-2.0-or-later",
    "double-conversion": "BSD-3-Clause",
    "duktape": "MIT",
    "e2fsprogs": "MIT",  # lib/et; the programs are under GPL-2.0
    "fmtlib": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-14": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glib2": "LGPL-2.1-or-later",
    "gmp": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "gnutls28": "LGPL-2.1-or-later",
    "icu 72": "Unicode-DFS-2016",
    "icu 76": "Unicode-3.0",
    "keyutils": "LGPL-2.0-or-later",
    "krb5": "BSD-2-Clause AND MIT",
    "libb2": "CC0-1.0",
    "libcap2": "BSD-3-Clause OR GPL-2.0-only",
    "libffi": "MIT",
    "libgcrypt20": "LGPL-2.1-or-later",
    "libglvnd": "MIT",
    "libgpg-error": "LGPL-2.1-or-later",
    "libidn2": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libpng1": "libpng-2.0",
    "libproxy": "LGPL-2.1-or-later",
    "libpsl": "MIT",
    "libselinux": "libselinux-1.0",
    "libssh2": "BSD-3-Clause",
    "libtasn1-6": "LGPL-2.1-or-later",
    "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libxcb": "X11",
    "libxkbcommon": "MIT",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "lz4": "BSD-2-Clause",
    "md4c": "MIT",
    "nettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "nghttp2": "MIT",
    "nghttp3": "MIT",
    "ngtcp2": "MIT",
    "nlohmann-json3": "MIT",
    "nlopt": "LGPL-2.1-or-later AND MIT",
    "openldap": "OLDAP-2.8",
    "p11-kit": "BSD-3-Clause",
    "pcre2": "BSD-3-Clause",
    "pybind11": "BSD-3-Clause",
    "qt6-base": QT,
    "qt6-charts": "GPL-3.0-only",
    "qt6-svg": QT,
    "qt6-wayland": QT,  # the client's side; the compositor's, under GPL-3.0, is left out
    "rtmpdump": "LGPL-2.1-or-later",
    "sqlite3": "blessing",
    "sqlitecpp": "MIT",
    "systemd": "LGPL-2.1-or-later",
    "tomlplusplus": "MIT",
    "util-linux": "LGPL-2.1-or-later",
    "wayland": "MIT",
    "xcb-util": "MIT",
    "xcb-util-image": "X11",
    "xcb-util-keysyms": "X11",
    "xcb-util-renderutil": "X11",
    "xcb-util-wm": "X11",
    "xz-utils 5.4": "LicenseRef-public-domain",
    "xz-utils 5.8": "0BSD",
    "yaml-cpp": "MIT",
}

# What an SPDX document must say about names that SPDX's list does not have.
OTHER_TEXTS = {"LicenseRef-public-domain": "liblzma is in the public domain."}


def licence_of(source, release):
    whole = f"{source} {release}"
    known = [key for key in LICENCES if whole.startswith((f"{key} ", f"{key}."))]
    return LICENCES[max(known, key=len)] if known else fail(
        f"the licence of {whole} is not known: read its copyright file in /usr/share/doc and enter it in tools/licences.py")
