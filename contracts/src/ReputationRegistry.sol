// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Publishers} from "./Publishers.sol";

/// The latest published score of each agent in one slot, and every publication as events. The
/// whole read side of ERC-8004 is here; ratings come from the service alone, so its write side is not.
contract ReputationRegistry is Publishers {
    uint16 public constant MAX_SCORE = 1000;
    uint256 public constant MAX_BATCH_SIZE = 200;

    /// agentId (32), score (2), grade (3), metadataHash (32).
    uint256 private constant RECORD_BYTES = 69;

    /// Of this contract's functions. Deployments before 2.0.0 have no getVersion.
    string private constant VERSION = "2.0.0";
    string private constant TAG = "trust-rating";
    bytes32 private constant TAG_HASH = keccak256(bytes(TAG));

    /// Where the parts of a slot begin, counted in bits from the lowest:
    /// score 16, grade 24, publishedAt 40, blockNumber 48, index 32, metadataPrefix 96.
    uint256 private constant GRADE_AT = 16;
    uint256 private constant PUBLISHED_AT = 40;
    uint256 private constant BLOCK_AT = 80;
    uint256 private constant INDEX_AT = 128;
    uint256 private constant PREFIX_AT = 160;

    address private immutable IDENTITY_REGISTRY;

    mapping(bytes32 agentId => uint256 slot) private _slots;
    bytes32 private _latestBatchRoot;
    uint256 private _publishedAgents;

    event ScorePublished(
        bytes32 indexed agentId, uint16 score, bytes3 grade, bytes32 metadataHash, uint32 index
    );
    event BatchPublished(bytes32 indexed batchRoot, uint32 agentCount);
    /// ERC-8004.
    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );

    error ScoreOutOfRange();
    error InvalidGrade();
    error InvalidBatchSize();
    error InvalidRecords();
    error NoClients();
    error NoFeedback();
    error Superseded();

    constructor(address owner, address publisher, address identityRegistry)
        Publishers(owner, publisher)
    {
        IDENTITY_REGISTRY = identityRegistry;
    }

    function publishScore(bytes32 agentId, uint16 score, bytes3 grade, bytes32 metadataHash)
        external
        onlyPublisher
    {
        uint256 memo = _newMemo();
        (, uint256 first) = _publish(memo, agentId, score, grade, metadataHash);
        _publishedAgents += first;
    }

    /// Tightly packed records of the four fields of publishScore, in that order.
    function publishBatch(bytes calldata records)
        external
        onlyPublisher
        returns (bytes32 batchRoot)
    {
        if (records.length % RECORD_BYTES != 0) revert InvalidRecords();
        uint256 count = records.length / RECORD_BYTES;
        if (count == 0 || count > MAX_BATCH_SIZE) revert InvalidBatchSize();
        bytes32[] memory leaves = new bytes32[](count);
        uint256 memo = _newMemo();
        uint256 firsts;
        for (uint256 i; i < count; ++i) {
            bytes32 agentId;
            uint16 score;
            bytes3 grade;
            bytes32 metadataHash;
            assembly ("memory-safe") {
                let at := add(records.offset, mul(i, RECORD_BYTES))
                agentId := calldataload(at)
                score := shr(240, calldataload(add(at, 32)))
                // Without the bytes behind it, as it is hashed and told from memory as it is here.
                grade := and(calldataload(add(at, 34)), shl(232, 0xffffff))
                metadataHash := calldataload(add(at, 37))
            }
            (bytes32 leaf, uint256 first) = _publish(memo, agentId, score, grade, metadataHash);
            leaves[i] = leaf;
            firsts += first;
        }
        batchRoot = _rootOf(leaves);
        _latestBatchRoot = batchRoot;
        if (firsts != 0) _publishedAgents += firsts;
        // The count is at most MAX_BATCH_SIZE.
        emit BatchPublished(batchRoot, uint32(count));
    }

    /// All zero for an agent without a publication; the index counts publications from 1.
    function getScore(bytes32 agentId)
        external
        view
        returns (
            uint16 score,
            bytes3 grade,
            uint40 publishedAt,
            uint48 blockNumber,
            uint32 index,
            bytes12 metadataPrefix
        )
    {
        uint256 slot = _slots[agentId];
        score = uint16(slot);
        grade = bytes3(uint24(slot >> GRADE_AT));
        publishedAt = uint40(slot >> PUBLISHED_AT);
        blockNumber = uint48(slot >> BLOCK_AT);
        index = uint32(slot >> INDEX_AT);
        metadataPrefix = bytes12(uint96(slot >> PREFIX_AT));
    }

    /// Zero before the first batch.
    function getLatestBatchRoot() external view returns (bytes32) {
        return _latestBatchRoot;
    }

    function getTotalPublishedAgents() external view returns (uint256) {
        return _publishedAgents;
    }

    function getIdentityRegistry() external view returns (address) {
        return IDENTITY_REGISTRY;
    }

    function getClients(uint256 agentId) external view returns (address[] memory clients) {
        if (_indexOf(agentId) == 0) return clients;
        clients = new address[](1);
        clients[0] = address(this);
    }

    function getLastIndex(uint256 agentId, address clientAddress) external view returns (uint64) {
        return clientAddress == address(this) ? _indexOf(agentId) : 0;
    }

    /// The latest publication; older ones live in the events.
    function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex)
        external
        view
        returns (
            int128 value,
            uint8 valueDecimals,
            string memory tag1,
            string memory tag2,
            bool isRevoked
        )
    {
        uint32 last = _indexOf(agentId);
        if (clientAddress != address(this) || feedbackIndex == 0 || feedbackIndex > last) {
            revert NoFeedback();
        }
        if (feedbackIndex < last) revert Superseded();
        uint256 slot = _slots[bytes32(agentId)];
        value = int128(uint128(uint16(slot)));
        tag1 = TAG;
        tag2 = _gradeText(bytes3(uint24(slot >> GRADE_AT)));
        return (value, valueDecimals, tag1, tag2, isRevoked);
    }

    /// One publication at most counts: the latest, when the clients and tags ask for it. An empty
    /// tag asks for any.
    function getSummary(
        uint256 agentId,
        address[] calldata clientAddresses,
        string calldata tag1,
        string calldata tag2
    ) external view returns (uint64 count, int128 summaryValue, uint8 summaryValueDecimals) {
        if (clientAddresses.length == 0) revert NoClients();
        uint256 slot = _latestFor(agentId, clientAddresses, tag1, tag2);
        if (slot == 0) return (0, 0, 0);
        return (1, int128(uint128(uint16(slot))), 0);
    }

    /// The latest publication, as readFeedback gives it, when the clients and tags ask for it. An empty
    /// list asks for every client. Nothing is ever revoked.
    function readAllFeedback(
        uint256 agentId,
        address[] calldata clientAddresses,
        string calldata tag1,
        string calldata tag2,
        bool
    )
        external
        view
        returns (
            // The clients, indexes, values, decimals, first and second tags, and whether revoked.
            address[] memory,
            uint64[] memory,
            int128[] memory,
            uint8[] memory,
            string[] memory,
            string[] memory,
            bool[] memory
        )
    {
        // Returns by itself: with the seven results no other variable fits on the stack.
        _answerAll(agentId, clientAddresses, tag1, tag2);
    }

    /// Always 0: nobody can respond to a publication.
    function getResponseCount(uint256, address, uint64, address[] calldata)
        external
        pure
        returns (uint64 count)
    {
        return count;
    }

    function getVersion() external pure returns (string memory) {
        return VERSION;
    }

    /// Memory that every publication of a call writes its events from. Only what differs between
    /// two publications is written again:
    ///   0x000 agentId, score, grade, metadataHash, index: leaf and ScorePublished
    ///   0x0a0 the data of NewFeedback, as abi.encode gives it
    function _newMemo() private pure returns (uint256 memo) {
        assembly ("memory-safe") {
            memo := mload(0x40)
            mstore(0x40, add(memo, 0x260))
            let data := add(memo, 0xa0)
            mstore(add(data, 0x40), 0) // valueDecimals
            mstore(add(data, 0x60), 0x100) // tag1
            mstore(add(data, 0x80), 0x140) // tag2
            mstore(add(data, 0xa0), 0x180) // endpoint
            mstore(add(data, 0xc0), 0x1a0) // feedbackURI
            mstore(add(data, 0x100), 12)
            mstore(add(data, 0x120), "trust-rating")
            mstore(add(data, 0x180), 0)
            mstore(add(data, 0x1a0), 0)
        }
    }

    /// Gives the leaf of the publication, and 1 when it is the agent's first one, else 0.
    function _publish(
        uint256 memo,
        bytes32 agentId,
        uint16 score,
        bytes3 grade,
        bytes32 metadataHash
    ) private returns (bytes32 leaf, uint256 first) {
        if (score > MAX_SCORE) revert ScoreOutOfRange();
        uint256 gradeLength = _gradeLength(grade);
        uint256 index;
        unchecked {
            // Billions of publications of one agent are out of reach.
            index = uint32(_slots[agentId] >> INDEX_AT) + 1;
        }
        first = index == 1 ? 1 : 0;
        _slots[agentId] = uint256(score) | (uint256(uint24(grade)) << GRADE_AT)
            | (uint256(uint40(block.timestamp)) << PUBLISHED_AT)
            | (uint256(uint48(block.number)) << BLOCK_AT) | (index << INDEX_AT)
            | (uint256(uint96(bytes12(metadataHash))) << PREFIX_AT);
        bytes32 scoreTopic = ScorePublished.selector;
        bytes32 feedbackTopic = NewFeedback.selector;
        bytes32 tagTopic = TAG_HASH;
        assembly ("memory-safe") {
            mstore(memo, agentId)
            mstore(add(memo, 0x20), score)
            mstore(add(memo, 0x40), grade)
            mstore(add(memo, 0x60), metadataHash)
            mstore(add(memo, 0x80), index)
            mstore(0x00, keccak256(memo, 0x80))
            leaf := keccak256(0x00, 0x20)
            log2(add(memo, 0x20), 0x80, scoreTopic, agentId)
            let data := add(memo, 0xa0)
            mstore(data, index)
            mstore(add(data, 0x20), score)
            mstore(add(data, 0xe0), metadataHash)
            mstore(add(data, 0x140), gradeLength)
            mstore(add(data, 0x160), grade)
            log4(data, 0x1c0, feedbackTopic, agentId, address(), tagTopic)
        }
    }

    /// INVARIANT: the same as `batchRoot` of the protocol package, node by node.
    function _rootOf(bytes32[] memory nodes) private pure returns (bytes32 root) {
        assembly ("memory-safe") {
            let start := add(nodes, 0x20)
            for { let count := mload(nodes) } gt(count, 1) {} {
                let half := shr(1, count)
                for { let i := 0 } lt(i, half) { i := add(i, 1) } {
                    let left := mload(add(start, shl(6, i)))
                    let right := mload(add(start, add(shl(6, i), 0x20)))
                    switch lt(right, left)
                    case 0 {
                        mstore(0x00, left)
                        mstore(0x20, right)
                    }
                    default {
                        mstore(0x00, right)
                        mstore(0x20, left)
                    }
                    mstore(add(start, shl(5, i)), keccak256(0x00, 0x40))
                }
                // An odd last node moves up as it is.
                if and(count, 1) {
                    mstore(add(start, shl(5, half)), mload(add(start, shl(5, sub(count, 1)))))
                    half := add(half, 1)
                }
                count := half
            }
            root := mload(start)
        }
    }

    function _gradeLength(bytes3 grade) private pure returns (uint256) {
        if (grade == "AA" || grade == "BB") return 2;
        if (grade == "A" || grade == "B") return 1;
        if (grade == "BBB" || grade == "AAA" || grade == "CCC") return 3;
        revert InvalidGrade();
    }

    function _gradeText(bytes3 grade) private pure returns (string memory) {
        bytes memory text = new bytes(_gradeLength(grade));
        for (uint256 i; i < text.length; ++i) text[i] = grade[i];
        return string(text);
    }

    /// The slot of the agent if it has a publication and clients and tags ask for it, else 0.
    function _latestFor(
        uint256 agentId,
        address[] calldata clientAddresses,
        string calldata tag1,
        string calldata tag2
    ) private view returns (uint256) {
        uint256 slot = _slots[bytes32(agentId)];
        if (slot == 0 || (clientAddresses.length != 0 && !_asksForUs(clientAddresses))) return 0;
        string memory grade = _gradeText(bytes3(uint24(slot >> GRADE_AT)));
        return _fits(tag1, TAG) && _fits(tag2, grade) ? slot : 0;
    }

    function _answerAll(
        uint256 agentId,
        address[] calldata clientAddresses,
        string calldata tag1,
        string calldata tag2
    ) private view {
        bytes memory answer = _encodeAll(_latestFor(agentId, clientAddresses, tag1, tag2));
        assembly ("memory-safe") {
            return(add(answer, 0x20), mload(answer))
        }
    }

    function _encodeAll(uint256 slot) private view returns (bytes memory) {
        uint256 count = slot == 0 ? 0 : 1;
        address[] memory clients = new address[](count);
        uint64[] memory indexes = new uint64[](count);
        int128[] memory values = new int128[](count);
        string[] memory tag1s = new string[](count);
        string[] memory tag2s = new string[](count);
        if (count == 1) {
            clients[0] = address(this);
            indexes[0] = uint32(slot >> INDEX_AT);
            values[0] = int128(uint128(uint16(slot)));
            tag1s[0] = TAG;
            tag2s[0] = _gradeText(bytes3(uint24(slot >> GRADE_AT)));
        }
        // No decimals, and nothing is revoked.
        return abi.encode(
            clients, indexes, values, new uint8[](count), tag1s, tag2s, new bool[](count)
        );
    }

    function _indexOf(uint256 agentId) private view returns (uint32) {
        return uint32(_slots[bytes32(agentId)] >> INDEX_AT);
    }

    function _asksForUs(address[] calldata clients) private view returns (bool) {
        for (uint256 i; i < clients.length; ++i) {
            if (clients[i] == address(this)) return true;
        }
        return false;
    }

    function _fits(string memory asked, string memory tag) private pure returns (bool) {
        return bytes(asked).length == 0 || keccak256(bytes(asked)) == keccak256(bytes(tag));
    }
}
