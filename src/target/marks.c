/* HOW DATA IS KNOWN BY ITS MARKS: bytes at fixed places, whatever lies around them.
 * SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "marks_private.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define KIB(count) ((count)*BYTES_KIB)
#define MIB(count) ((count)*BYTES_MIB)
#define GIB(count) ((count)*BYTES_GIB)

const struct mark_kind mark_kinds[MARK_KINDS] = {
	/* file systems */
	[MARK_EXT] = {"an ext2, ext3 or ext4 file system", "ext2 ext3 ext4 ext4dev jbd"},
	[MARK_XFS] = {"an XFS file system", "xfs"},
	[MARK_XFS_LOG] = {"an XFS log", "xfs_external_log"},
	[MARK_BTRFS] = {"a btrfs file system", "btrfs"},
	[MARK_F2FS] = {"an F2FS file system", "f2fs"},
	[MARK_BCACHEFS] = {"a bcachefs file system", "bcachefs"},
	[MARK_NTFS] = {"an NTFS file system", "ntfs"},
	[MARK_FAT] = {"a FAT file system", "vfat"},
	[MARK_EXFAT] = {"an exFAT file system", "exfat"},
	[MARK_REFS] = {"a ReFS file system", "ReFS"},
	[MARK_HPFS] = {"an HPFS file system", "hpfs"},
	[MARK_ISO9660] = {"an ISO 9660 file system", "iso9660"},
	[MARK_UDF] = {"a UDF file system", "udf"},
	[MARK_SQUASHFS] = {"a squashfs file system", "squashfs squashfs3"},
	[MARK_EROFS] = {"an EROFS file system", "erofs"},
	[MARK_CRAMFS] = {"a cramfs file system", "cramfs"},
	[MARK_ROMFS] = {"a romfs file system", "romfs"},
	[MARK_JFS] = {"a JFS file system", "jfs"},
	[MARK_REISERFS] = {"a ReiserFS file system", "reiserfs reiser4"},
	[MARK_NILFS2] = {"a NILFS2 file system", "nilfs2"},
	[MARK_OCFS] = {"an OCFS2 file system", "ocfs ocfs2"},
	[MARK_GFS] = {"a GFS file system", "gfs gfs2"},
	[MARK_HFSPLUS] = {"an HFS+ file system", "hfsplus"},
	[MARK_APFS] = {"an APFS container", "apfs"},
	[MARK_UFS] = {"a UFS file system", "ufs"},
	[MARK_VXFS] = {"a Veritas file system", "vxfs"},
	[MARK_VMFS] = {"a VMFS volume", "VMFS VMFS_volume_member"},
	[MARK_BEFS] = {"a BeFS file system", "befs"},
	[MARK_UBI] = {"a UBI volume", "ubi ubifs"},
	[MARK_ZONEFS] = {"a zonefs file system", "zonefs"},
	[MARK_TAR] = {"a tar archive", ""},
	/* swap */
	[MARK_SWAP] = {"swap space", "swap"},
	[MARK_HIBERNATION] = {"a hibernation image", "swsuspend"},
	/* volume managers, RAID, encryption, caches */
	[MARK_LVM2] = {"an LVM physical volume", "LVM2_member"},
	[MARK_LVM1] = {"an LVM1 physical volume", "LVM1_member"},
	[MARK_MD] = {"a member of an MD RAID", "linux_raid_member"},
	[MARK_LUKS] = {"LUKS encrypted data", "crypto_LUKS"},
	[MARK_BITLOCKER] = {"BitLocker encrypted data", "BitLocker"},
	[MARK_ZFS] = {"a member of a ZFS pool", "zfs_member"},
	[MARK_BLUESTORE] = {"a Ceph BlueStore", "ceph_bluestore"},
	[MARK_DRBD] = {"a DRBD device", "drbd drbdmanage_control_volume drbdproxy_datalog"},
	[MARK_BCACHE] = {"a bcache device", "bcache"},
	[MARK_INTEGRITY] = {"a dm-integrity device", "DM_integrity"},
	[MARK_VERITY] = {"a dm-verity hash tree", "DM_verity_hash"},
	[MARK_SNAPSHOT] = {"a dm snapshot", "DM_snapshot_cow"},
	[MARK_VDO] = {"a VDO volume", "vdo"},
	[MARK_STRATIS] = {"a member of a Stratis pool", "stratis"},
	[MARK_LDM] = {"a Windows dynamic disk", ""},
	[MARK_SPACES] = {"a member of Windows Storage Spaces", ""},
	[MARK_ISM] = {"a member of an Intel RAID", "isw_raid_member"},
	[MARK_DDF] = {"a member of a DDF RAID", "ddf_raid_member"},
	[MARK_LSI] = {"a member of an LSI RAID", "lsi_mega_raid_member"},
	[MARK_NVIDIA] = {"a member of an NVIDIA RAID", "nvidia_raid_member"},
	[MARK_HPUX] = {"an HP-UX LVM physical volume", ""},
	[MARK_AIX_LVM] = {"an AIX LVM physical volume", ""},
	/* databases */
	[MARK_ASM] = {"an Oracle ASM disk", "oracleasm"},
	[MARK_ORACLE] = {"an Oracle database file", ""},
	/* partition tables */
	[MARK_GPT] = {"a GPT partition table", "gpt"},
	[MARK_BOOT] = {"an MBR partition table or a boot sector",
		       "dos PMBR gpt vfat ntfs exfat ReFS hpfs BitLocker"},
	[MARK_APPLE] = {"an Apple partition map", "mac"},
	[MARK_BSD] = {"a BSD disk label", "bsd"},
	[MARK_SUN] = {"a Sun disk label", "sun"},
	[MARK_SOLARIS] = {"a Solaris x86 disk label", "solaris"},
	[MARK_SGI] = {"an SGI disk label", "sgi"},
	[MARK_DASD] = {"a DASD volume label", "dasd"},
	[MARK_AMIGA] = {"an Amiga partition table", ""},
	[MARK_AIX] = {"an AIX boot record", "aix"},
	/* disks of virtual machines */
	[MARK_IMAGE] = {"a disk image of a virtual machine", ""},
};

/* at a place counted from the start; @times places, @step apart */
#define AT(at, bytes)		     0, at, 0, 1, sizeof(bytes) - 1, bytes
#define EACH(at, step, times, bytes) 0, at, step, times, sizeof(bytes) - 1, bytes
/* @back before the end, which is first rounded down to a multiple of @unit */
#define END(unit, back, bytes) unit, back, 0, 1, sizeof(bytes) - 1, bytes
/* the last ten bytes of a page of 4 KiB to 64 KiB, and of what lies between the powers of two */
#define PAGES(bytes) EACH(KIB(4) - 10, KIB(4), 16, bytes)
/* the uberblocks of a ZFS label: the second half of its 256 KiB, one a KiB at the densest */
#define RING 1024, 128
/* two that go by a UUID */
#define BCACHE_UUID   "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"
#define BCACHEFS_UUID "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"

/*
 * Two bytes are found by chance in one of 65,536 LUNs with random data, four in one of 4 billion.
 * So only ext and the boot sector go by two; where a field beside the mark has but one value it
 * is taken in, and what has two bytes and nothing else (HFS, MINIX, Sun without a VTOC) is left
 * to libblkid, which looks at the structure.
 */
const struct mark marks[] = {
	{MARK_EXT, AT(1080, "\x53\xef")},
	{MARK_XFS, AT(0, "XFSB")},
	{MARK_XFS_LOG, AT(0, "\xfe\xed\xba\xbe")},
	{MARK_BTRFS, AT(KIB(64) + 64, "_BHRfS_M")},
	{MARK_BTRFS, AT(MIB(64) + 64, "_BHRfS_M")},
	{MARK_BTRFS, AT(GIB(256) + 64, "_BHRfS_M")},
	{MARK_F2FS, AT(1024, "\x10\x20\xf5\xf2")},
	{MARK_F2FS, AT(KIB(4) + 1024, "\x10\x20\xf5\xf2")}, /* the copy */
	{MARK_BCACHEFS, AT(KIB(4) + 24, BCACHEFS_UUID)},
	{MARK_BCACHEFS, AT(MIB(2) + 24, BCACHEFS_UUID)},
	{MARK_BCACHEFS, END(512, MIB(1) - 24, BCACHEFS_UUID)},
	{MARK_NTFS, AT(3, "NTFS    ")},
	{MARK_NTFS, END(512, 512 - 3, "NTFS    ")}, /* the copy of its boot sector */
	{MARK_FAT, AT(54, "FAT1")},		    /* FAT12 and FAT16 */
	{MARK_FAT, AT(82, "FAT32")},
	{MARK_FAT, AT(6 * SECTOR + 82, "FAT32")}, /* the copy of its boot sector */
	{MARK_EXFAT, AT(3, "EXFAT   ")},
	{MARK_EXFAT, AT(12 * SECTOR + 3, "EXFAT   ")},
	{MARK_REFS, AT(0, "\0\0\0ReFS\0")},
	{MARK_HPFS, AT(KIB(8), "\x49\xe8\x95\xf9")},
	/* a volume recognition sequence: descriptors of 2 KiB from 32 KiB on */
	{MARK_ISO9660, EACH(KIB(32) + 1, 2048, 16, "CD001")},
	{MARK_UDF, EACH(KIB(32) + 1, 2048, 16, "BEA01")},
	{MARK_UDF, EACH(KIB(32) + 1, 2048, 16, "NSR0")},
	{MARK_SQUASHFS, AT(0, "hsqs")},
	{MARK_SQUASHFS, AT(0, "sqsh")},
	{MARK_EROFS, AT(1024, "\xe2\xe1\xf5\xe0")},
	{MARK_CRAMFS, AT(0, "\x45\x3d\xcd\x28")},
	{MARK_CRAMFS, AT(0, "\x28\xcd\x3d\x45")},
	{MARK_ROMFS, AT(0, "-rom1fs-")},
	{MARK_JFS, AT(KIB(32), "JFS1")},
	{MARK_REISERFS, AT(KIB(64) + 52, "ReIsEr")},
	{MARK_REISERFS, AT(KIB(8) + 52, "ReIsEr")},
	{MARK_REISERFS, AT(KIB(64), "ReIsEr4")},
	/* revision 2.0 stands in front of the mark 34 34 */
	{MARK_NILFS2, AT(1024, "\2\0\0\0\0\0\x34\x34")},
	/* in the second block, of 512 bytes to 4 KiB */
	{MARK_OCFS, EACH(1024, 1024, 8, "OCFSV2")},
	{MARK_OCFS, AT(KIB(8), "OracleCFS")},
	{MARK_GFS, AT(KIB(64), "\x01\x16\x19\x70")},
	{MARK_HFSPLUS, AT(1024, "H+\0\4")}, /* with the version */
	{MARK_HFSPLUS, AT(1024, "HX\0\5")},
	{MARK_HFSPLUS, END(512, 1024, "H+\0\4")},
	{MARK_HFSPLUS, END(512, 1024, "HX\0\5")},
	{MARK_APFS, AT(32, "NXSB")},
	/* UFS1 and UFS2, both byte orders; the super-block at 0, 64 or 256 KiB, or at 8 KiB */
	{MARK_UFS, EACH(1372, KIB(64), 5, "\x54\x19\x01\x00")},
	{MARK_UFS, EACH(1372, KIB(64), 5, "\x00\x01\x19\x54")},
	{MARK_UFS, EACH(1372, KIB(64), 5, "\x19\x01\x54\x19")},
	{MARK_UFS, EACH(1372, KIB(64), 5, "\x19\x54\x01\x19")},
	{MARK_UFS, AT(KIB(8) + 1372, "\x54\x19\x01\x00")},
	{MARK_UFS, AT(KIB(8) + 1372, "\x00\x01\x19\x54")},
	{MARK_UFS, AT(KIB(8) + 1372, "\x19\x01\x54\x19")},
	{MARK_UFS, AT(KIB(8) + 1372, "\x19\x54\x01\x19")},
	{MARK_VXFS, AT(1024, "\xf5\xfc\x01\xa5")},
	{MARK_VXFS, AT(KIB(8), "\xa5\x01\xfc\xf5")}, /* of HP-UX */
	{MARK_VMFS, AT(MIB(1), "\x0d\xd0\x01\xc0")},
	{MARK_VMFS, AT(MIB(2), "\x5e\xf1\xab\x2f")},
	{MARK_BEFS, EACH(32, 512, 2, "BFS1")},
	{MARK_BEFS, EACH(32, 512, 2, "1SFB")},
	{MARK_UBI, AT(0, "UBI#")},
	{MARK_UBI, AT(0, "\x31\x18\x10\x06")},
	{MARK_ZONEFS, AT(0, "SFOZ")},
	{MARK_TAR, AT(257, "ustar")}, /* a backup on a device of its own */

	{MARK_SWAP, PAGES("SWAPSPACE2")},
	{MARK_SWAP, PAGES("SWAP-SPACE")},
	{MARK_HIBERNATION, PAGES("S1SUSPEND")},
	{MARK_HIBERNATION, PAGES("S2SUSPEND")},
	{MARK_HIBERNATION, PAGES("ULSUSPEND")},
	{MARK_HIBERNATION, PAGES("LINHIB0001")},
	{MARK_HIBERNATION, AT(0, "\xed\xc3\x02\xe9\x98\x56\xe5\x0c")},

	{MARK_LVM2, EACH(0, 512, 4, "LABELONE")}, /* lvm looks at the first four sectors */
	{MARK_LVM2,
	 AT(KIB(4) + 4, " LVM2 x[5A%r0N*>")}, /* the metadata, should the label be lost */
	{MARK_LVM1, AT(0, "HM\1\0")},	      /* with the version, 1 or 2 */
	{MARK_LVM1, AT(0, "HM\2\0")},
	/* versions 1.1, 1.2, 1.0 and 0.90, which is in the byte order of the host */
	{MARK_MD, AT(0, "\xfc\x4e\x2b\xa9")},
	{MARK_MD, AT(KIB(4), "\xfc\x4e\x2b\xa9")},
	{MARK_MD, END(KIB(4), KIB(8), "\xfc\x4e\x2b\xa9")},
	{MARK_MD, END(KIB(64), KIB(64), "\xfc\x4e\x2b\xa9")},
	{MARK_MD, AT(0, "\xa9\x2b\x4e\xfc")},
	{MARK_MD, AT(KIB(4), "\xa9\x2b\x4e\xfc")},
	{MARK_MD, END(KIB(4), KIB(8), "\xa9\x2b\x4e\xfc")},
	{MARK_MD, END(KIB(64), KIB(64), "\xa9\x2b\x4e\xfc")},
	{MARK_LUKS, AT(0, "LUKS\xba\xbe")},
	/* the second header of version 2: at 16 KiB, 32 KiB, ... 4 MiB */
	{MARK_LUKS, EACH(KIB(16), KIB(16), 32, "SKUL\xba\xbe")},
	{MARK_LUKS, AT(MIB(1), "SKUL\xba\xbe")},
	{MARK_LUKS, AT(MIB(2), "SKUL\xba\xbe")},
	{MARK_LUKS, AT(MIB(4), "SKUL\xba\xbe")},
	{MARK_BITLOCKER, AT(3, "-FVE-FS-")},
	/* two labels at the start, two at the end; a number of 64 bits in either byte order */
	{MARK_ZFS, 0, KIB(128), RING, 8, "\x0c\xb1\xba\0\0\0\0\0"},
	{MARK_ZFS, 0, KIB(384), RING, 8, "\x0c\xb1\xba\0\0\0\0\0"},
	{MARK_ZFS, KIB(256), KIB(384), RING, 8, "\x0c\xb1\xba\0\0\0\0\0"},
	{MARK_ZFS, KIB(256), KIB(128), RING, 8, "\x0c\xb1\xba\0\0\0\0\0"},
	{MARK_ZFS, 0, KIB(128), RING, 8, "\0\0\0\0\0\xba\xb1\x0c"},
	{MARK_ZFS, 0, KIB(384), RING, 8, "\0\0\0\0\0\xba\xb1\x0c"},
	{MARK_ZFS, KIB(256), KIB(384), RING, 8, "\0\0\0\0\0\xba\xb1\x0c"},
	{MARK_ZFS, KIB(256), KIB(128), RING, 8, "\0\0\0\0\0\xba\xb1\x0c"},
	{MARK_BLUESTORE, AT(0, "bluestore block device")},
	/* internal metadata: its super-block is the last whole 4 KiB; 8.x, 8.4 unclean, 9 */
	{MARK_DRBD, END(KIB(4), KIB(4) - 60, "\x83\x74\x02\x6b")},
	{MARK_DRBD, END(KIB(4), KIB(4) - 60, "\x83\x74\x02\x6c")},
	{MARK_DRBD, END(KIB(4), KIB(4) - 60, "\x83\x74\x02\x6d")},
	{MARK_DRBD, AT(0, "$DRBDmgr=q")},
	{MARK_DRBD, AT(0, "DRBDdlh*")},
	{MARK_BCACHE, AT(KIB(4) + 24, BCACHE_UUID)},
	{MARK_INTEGRITY, AT(0, "integrt\0")},
	{MARK_VERITY, AT(0, "verity\0\0")},
	{MARK_SNAPSHOT, AT(0, "SnAp")},
	{MARK_VDO, AT(0, "dmvdo001")},
	{MARK_STRATIS, AT(512 + 4, "!Stra0tis\x86\xff\x02^\x41rh")},
	{MARK_STRATIS, AT(9 * SECTOR + 4, "!Stra0tis\x86\xff\x02^\x41rh")},
	{MARK_LDM, AT(6 * SECTOR, "PRIVHEAD")}, /* and a copy in the last sector of the disk */
	{MARK_LDM, END(512, 512, "PRIVHEAD")},
	{MARK_SPACES, AT(0, "SPACEDB ")},
	/* the last but one sector, of 512 bytes or 4 KiB */
	{MARK_ISM, END(512, 2 * SECTOR, "Intel Raid ISM Cfg Sig. ")},
	{MARK_ISM, END(KIB(4), 2 * KIB(4), "Intel Raid ISM Cfg Sig. ")},
	/* the anchor in the last sector; some controllers keep one 256 sectors earlier */
	{MARK_DDF, END(512, 512, "\xde\x11\xde\x11")},
	{MARK_DDF, END(512, 512, "\x11\xde\x11\xde")},
	{MARK_DDF, END(512, 257 * SECTOR, "\xde\x11\xde\x11")},
	{MARK_DDF, END(KIB(4), KIB(4), "\xde\x11\xde\x11")},
	{MARK_LSI, END(512, 512, "$XIDE$")},
	{MARK_NVIDIA, END(512, 2 * SECTOR, "NVIDIA  ")},
	{MARK_HPUX, AT(KIB(8), "LVMREC01")},
	{MARK_AIX_LVM, AT(7 * SECTOR, "_LVM")},

	{MARK_ASM, AT(32, "ORCLDISK")},
	/* block type 1, a disk header, in either byte order; what ASM itself goes by */
	{MARK_ASM, AT(0, "\x01\x82\x01\x01")},
	{MARK_ASM, AT(0, "\x00\x82\x01\x01")},
	/* its copy: the last but one 4 KiB of the second allocation unit, 1 MiB to 64 MiB */
	{MARK_ASM, AT(MIB(2) - KIB(8), "\x01\x82\x01\x01")},
	{MARK_ASM, AT(MIB(4) - KIB(8), "\x01\x82\x01\x01")},
	{MARK_ASM, AT(MIB(8) - KIB(8), "\x01\x82\x01\x01")},
	{MARK_ASM, AT(MIB(16) - KIB(8), "\x01\x82\x01\x01")},
	{MARK_ASM, AT(MIB(32) - KIB(8), "\x01\x82\x01\x01")},
	{MARK_ASM, AT(MIB(64) - KIB(8), "\x01\x82\x01\x01")},
	{MARK_ASM, AT(MIB(128) - KIB(8), "\x01\x82\x01\x01")},
	/* the block in front of a data, redo or control file (10g and later): 7a7b7c7d */
	{MARK_ORACLE, AT(28, "}|{z")},
	{MARK_ORACLE, AT(28, "z{|}")},

	/* blocks of 512 bytes and of 4 KiB; the second table in the last block */
	{MARK_GPT, AT(512, "EFI PART")},
	{MARK_GPT, AT(KIB(4), "EFI PART")},
	{MARK_GPT, END(512, 512, "EFI PART")},
	{MARK_GPT, END(KIB(4), KIB(4), "EFI PART")},
	{MARK_BOOT, AT(510, "\x55\xaa")},
	{MARK_APPLE, AT(0, "ER\x02\0")}, /* with the block size, 512 */
	{MARK_APPLE, AT(512, "PM\0\0")}, /* with two bytes that stay empty */
	{MARK_BSD, AT(64, "\x57\x45\x56\x82")},
	{MARK_BSD, AT(128, "\x57\x45\x56\x82")},
	{MARK_BSD, AT(512, "\x57\x45\x56\x82")},
	{MARK_SUN, AT(188, "\x60\x0d\xde\xee")}, /* the sanity word of its VTOC */
	{MARK_SOLARIS, AT(512 + 12, "\xee\xde\x0d\x60")},
	{MARK_SGI, AT(0, "\x0b\xe5\xa9\x41")},
	/* VOL1, LNX1, CMS1 in EBCDIC, in the third block, of 512 bytes to 4 KiB */
	{MARK_DASD, EACH(1024 + 4, 1024, 8, "\xe5\xd6\xd3\xf1")},
	{MARK_DASD, EACH(1024, 1024, 8, "\xd3\xd5\xe7\xf1")},
	{MARK_DASD, EACH(1024, 1024, 8, "\xc3\xd4\xe2\xf1")},
	{MARK_AMIGA, EACH(0, 512, 16, "RDSK")}, /* anywhere in the first 16 sectors */
	{MARK_AIX, AT(0, "\xc9\xc2\xd4\xc1")},	/* IBMA in EBCDIC */

	{MARK_IMAGE, AT(0, "QFI\xfb")},		  /* qcow2 */
	{MARK_IMAGE, AT(0, "KDMV")},		  /* VMDK */
	{MARK_IMAGE, AT(64, "\x7f\x10\xda\xbe")}, /* VDI */
	{MARK_IMAGE, AT(0, "vhdxfile")},	  /* VHDX */
	{MARK_IMAGE, AT(0, "conectix")},	  /* VHD that grows */
	{MARK_IMAGE, END(512, 512, "conectix")},  /* VHD */
};

const size_t mark_count = sizeof(marks) / sizeof(marks[0]);

/* Whether @word is one of the @words, which blanks separate. */
static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (*words) {
		size_t end = strcspn(words, " ");

		if (end == length && memcmp(words, word, length) == 0)
			return true;
		words += end;
		words += strspn(words, " ");
	}
	return false;
}

const char *marks_know(struct mark_set *known, const char *type)
{
	const char *name = NULL;

	for (unsigned kind = 0; kind < MARK_KINDS; kind++) {
		if (!has_word(mark_kinds[kind].types, type))
			continue;
		known->has[kind] = true;
		if (!name)
			name = mark_kinds[kind].name;
	}
	return name;
}

bool mark_place(const struct mark *mark, uint64_t size_bytes, uint64_t *at)
{
	uint64_t end;

	*at = mark->at;
	if (mark->end_unit == 0)
		return true;
	end = size_bytes - size_bytes % mark->end_unit;
	if (end < mark->at)
		return false;
	*at = end - mark->at;
	return true;
}

/* The first place where @mark stands, or false. */
static bool find(const struct mark *mark, const struct image *image, uint64_t *at)
{
	if (!mark_place(mark, image->size_bytes, at))
		return false;
	for (unsigned i = 0; i < mark->times; i++, *at += mark->step) {
		const unsigned char *bytes = image_at(image, *at, mark->length);

		if (bytes && memcmp(bytes, mark->bytes, mark->length) == 0)
			return true;
	}
	return false;
}

void marks_find(const struct image *image, struct mark_set *known, struct findings *findings)
{
	for (size_t i = 0; i < mark_count; i++) {
		const struct mark *mark = &marks[i];
		uint64_t at;

		if (known->has[mark->kind] || !find(mark, image, &at))
			continue;
		known->has[mark->kind] = true;
		findings_add(findings, FINDING_CARRIES, "carries %s (mark at byte %" PRIu64 ")",
			     mark_kinds[mark->kind].name, at);
	}
}
