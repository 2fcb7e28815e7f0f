"""What is installed runs from its own place, and the Debian package has what a desktop wants.

usage: package_test.py CMAKE CPACK BUILD_FOLDER [TEST]   (CMake lists every test_* function as a test of its own)
"""
import configparser
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from script import SKIPPED, run_tests

CMAKE, CPACK, BUILD = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def run(*arguments, expect=0):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=280, env=environment)
    assert done.returncode == expect, f"{arguments}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def folder():
    return tempfile.TemporaryDirectory(prefix="ringside-package-")


def runs_from(prefix):
    program = prefix / "bin/ringside"
    share = prefix / "share/ringside"
    assert "no faults" in run(program, "check", "--seeds", "1").stdout
    # A fault planted there is found, so these are the files it reads, not those of the source tree.
    (share / "models/broken.json").write_text("{}", encoding="utf-8")
    assert "broken.json" in run(program, "check", "--seeds", "1", expect=1).stderr
    (share / "models/broken.json").unlink()
    assert (share / "fonts/Inter-Regular.otf").exists()
    run(program, "picture", "--view", "memory", "-o", prefix / "memory.png")
    manual = gzip.decompress((prefix / "share/man/man1/ringside.1.gz").read_bytes()).decode()
    assert manual.startswith(".TH RINGSIDE 1") and ".SS ringside evaluate" in manual
    for completions in ("bash-completion/completions/ringside", "zsh/vendor-completions/_ringside", "fish/vendor_completions.d/ringside.fish"):
        assert "evaluate" in (prefix / "share" / completions).read_text(encoding="utf-8"), completions
    said = subprocess.run([sys.executable, "-c", "import ringside; print(ringside.evaluate({'model': 'llama-3.1-8b'}).memory.card_bytes)"],
                          capture_output=True, text=True, timeout=280, env={"PYTHONPATH": str(prefix / "lib/python3/dist-packages"), "RINGSIDE": str(program)})
    assert said.returncode == 0 and said.stdout.strip(), said.stderr
    assert (prefix / "memory.png").stat().st_size > 10_000


def test_an_installation_runs_from_its_own_place():
    with folder() as where:
        prefix = pathlib.Path(where) / "place"
        run(CMAKE, "--install", BUILD, "--prefix", prefix)
        runs_from(prefix)


def test_its_description_is_one_that_software_centres_take():
    if not shutil.which("appstreamcli"):
        print("skipped: appstreamcli is missing (apt-get install appstream)")
        return SKIPPED
    run("appstreamcli", "validate", "--no-net", pathlib.Path(__file__).parents[2] / "app/desktop/org.ringside.Ringside.metainfo.xml")
    return None


def test_a_debian_package_has_program_menu_entry_icon_and_what_it_needs():
    missing = [tool for tool in ("dpkg-deb", "dpkg-shlibdeps", "file", "strip") if not shutil.which(tool)]
    assert not missing, f"CPack asks these what the program needs: {missing}"
    with folder() as where:
        where = pathlib.Path(where)
        run(CPACK, "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", where)
        package = next(where.glob("*.deb"))
        fields = run("dpkg-deb", "-f", package).stdout
        assert "Package: ringside\n" in fields, fields
        for needed in ("libc6", "libglfw3", "libfmt9", "libegl1"):
            assert needed in fields, fields
        run("dpkg-deb", "-x", package, where / "root")
        usr = where / "root/usr"
        runs_from(usr)
        name = "org.ringside.Ringside"
        entry = configparser.ConfigParser(interpolation=None)
        entry.read(usr / f"share/applications/{name}.desktop", encoding="utf-8")
        assert entry["Desktop Entry"]["Exec"] == "ringside %u"
        assert entry["Desktop Entry"]["Icon"] == name
        about = xml.etree.ElementTree.parse(usr / f"share/metainfo/{name}.metainfo.xml").getroot()
        assert about.findtext("launchable") == f"{name}.desktop"
        version = run(usr / "bin/ringside", "--version").stdout.split()[1]
        assert about.find("releases/release").get("version") == version
        xml.etree.ElementTree.parse(usr / f"share/icons/hicolor/scalable/apps/{name}.svg")
        assert (usr / "share/doc/ringside/copyright").exists()


if __name__ == "__main__":
    run_tests(globals(), sys.argv[4:])
