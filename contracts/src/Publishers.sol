// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// Who may write. The owner names publishers; ownership passes in two steps, so that a mistyped
/// address cannot take it.
abstract contract Publishers is Ownable2Step {
    mapping(address account => bool) private _publishers;

    event PublisherSet(address indexed account, bool allowed);

    error NotPublisher();

    constructor(address owner, address publisher) Ownable(owner) {
        _setPublisher(publisher, true);
    }

    modifier onlyPublisher() {
        if (!_publishers[msg.sender]) revert NotPublisher();
        _;
    }

    function setPublisher(address account, bool allowed) external onlyOwner {
        _setPublisher(account, allowed);
    }

    function isPublisher(address account) external view returns (bool) {
        return _publishers[account];
    }

    function _setPublisher(address account, bool allowed) private {
        _publishers[account] = allowed;
        emit PublisherSet(account, allowed);
    }
}
