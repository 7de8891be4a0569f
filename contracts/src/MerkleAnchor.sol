// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Publishers} from "./Publishers.sol";

/// Says since when a Merkle root is known. A root is anchored once and never removed.
contract MerkleAnchor is Publishers {
    uint16 private constant MAX_TREE_DEPTH = 32;

    struct Record {
        bytes32 merkleRoot;
        uint64 anchoredAt;
        uint64 blockNumber;
        uint32 leafCount;
        uint16 treeDepth;
    }

    /// What is stored of a record: one slot, as the root is the key.
    struct Entry {
        uint64 anchoredAt;
        uint64 blockNumber;
        uint32 leafCount;
        uint16 treeDepth;
    }

    bytes32[] private _roots;
    mapping(bytes32 merkleRoot => Entry) private _entries;

    event RootAnchored(
        bytes32 indexed merkleRoot, uint32 leafCount, uint16 treeDepth, uint64 anchoredAt
    );

    error InvalidRoot();
    error AlreadyAnchored(bytes32 merkleRoot);

    constructor(address owner, address publisher) Publishers(owner, publisher) {}

    /// Returns the index of the root in the order of anchoring.
    function anchorRoot(bytes32 merkleRoot, uint32 leafCount, uint16 treeDepth)
        external
        onlyPublisher
        returns (uint256)
    {
        if (merkleRoot == 0 || leafCount == 0 || treeDepth > MAX_TREE_DEPTH) revert InvalidRoot();
        if (_entries[merkleRoot].anchoredAt != 0) revert AlreadyAnchored(merkleRoot);
        uint64 anchoredAt = uint64(block.timestamp);
        _entries[merkleRoot] = Entry(anchoredAt, uint64(block.number), leafCount, treeDepth);
        _roots.push(merkleRoot);
        emit RootAnchored(merkleRoot, leafCount, treeDepth, anchoredAt);
        return _roots.length - 1;
    }

    /// Zero before the first one.
    function getLatestRoot() external view returns (bytes32) {
        uint256 count = _roots.length;
        return count == 0 ? bytes32(0) : _roots[count - 1];
    }

    function getRootByIndex(uint256 index) external view returns (bytes32) {
        return _roots[index];
    }

    /// All zero for a root that is not anchored.
    function getRecord(bytes32 merkleRoot) external view returns (Record memory record) {
        Entry memory entry = _entries[merkleRoot];
        if (entry.anchoredAt == 0) return record;
        return Record(
            merkleRoot, entry.anchoredAt, entry.blockNumber, entry.leafCount, entry.treeDepth
        );
    }

    function getRootCount() external view returns (uint256) {
        return _roots.length;
    }

    function isRootAnchored(bytes32 merkleRoot) external view returns (bool) {
        return _entries[merkleRoot].anchoredAt != 0;
    }
}
