import type { Framework } from './pack.ts'

/** Kinds of lines in the records of a pack. */
export type RecordKind =
  | 'decision'
  | 'outcome'
  | 'approval'
  | 'checkpoint'
  | 'policy'
  | 'containment'
  | 'reclassification'
  | 'score'

export type Control = {
  framework: Framework
  id: string
  title: string
  /** How the records answer it. */
  answer: string
  records: readonly RecordKind[]
  /** The part of the control that nothing in a pack answers. */
  gap: string
}

/**
 * The answers of the records of a pack to controls of well-known frameworks. A record is evidence that
 * something happened; documents, training and judgement are evidence of other kinds.
 */
export const CONTROLS: readonly Control[] = [
  {
    framework: 'eu_ai_act',
    id: 'Article 12',
    title: 'Record-keeping',
    answer:
      'Every decision, outcome, approval and checkpoint was recorded automatically, with its time, in a log that witnesses confirm only grows.',
    records: ['decision', 'outcome', 'checkpoint', 'approval'],
    gap: 'Events inside the model and calls that did not pass the gateway are not recorded here. The period of use, reference databases and input data of Article 12(3) are not covered.',
  },
  {
    framework: 'eu_ai_act',
    id: 'Article 14',
    title: 'Human oversight',
    answer:
      'Calls that needed a person, who answered and how; agents that people paused, stopped or resumed.',
    records: ['approval', 'containment'],
    gap: 'Whether the people had the competence, training and authority to oversee, and whether they resisted automation bias.',
  },
  {
    framework: 'eu_ai_act',
    id: 'Article 19',
    title: 'Automatically generated logs',
    answer:
      'The logs of the period exist, are complete for this organisation and can be handed over; the pack proves it.',
    records: ['decision', 'outcome', 'checkpoint', 'approval', 'containment'],
    gap: 'That logs are kept for six months or longer is a setting of the deployment. Logs of other systems are not included.',
  },
  {
    framework: 'eu_ai_act',
    id: 'Article 26',
    title: 'Obligations of deployers',
    answer:
      'Operation was monitored (checkpoints, scores), use followed rules (policies in force), and agents were suspended when necessary (containment).',
    records: ['policy', 'checkpoint', 'containment', 'score'],
    gap: 'Instructions of the provider, information of workers and affected persons, the quality of input data, and reports to authorities.',
  },
  {
    framework: 'iso_42001',
    id: 'A.6.2.8',
    title: 'AI system recording of event logs',
    answer: 'Event logs of the operation of agents, with time and order, protected against change.',
    records: ['decision', 'outcome', 'checkpoint', 'approval'],
    gap: 'The decision in which phases of the life cycle logging is enabled is a document of the organisation.',
  },
  {
    framework: 'iso_42001',
    id: 'A.9',
    title: 'Use of AI systems',
    answer:
      'Rules for responsible use as policies in force, and that they were applied to each call.',
    records: ['policy', 'decision', 'approval'],
    gap: 'Objectives for responsible use (A.9.3) and the intended use (A.9.4) are documents of the organisation.',
  },
  {
    framework: 'soc2',
    id: 'CC7.2',
    title: 'Monitoring for anomalies',
    answer:
      'Calls and reasoning of agents were checked as they happened; violations, and what was done about them.',
    records: ['decision', 'checkpoint', 'containment', 'reclassification'],
    gap: 'Monitoring of infrastructure, networks and people. Whether alerts were read in time.',
  },
  {
    framework: 'soc2',
    id: 'CC8.1',
    title: 'Change management',
    answer:
      'Every version of a policy in the period, with its time, hash and document, so that no change can be hidden.',
    records: ['policy'],
    gap: 'Approval and testing before a change, and changes of code, models, prompts and infrastructure.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI01',
    title: 'Agent goal hijack',
    answer: 'Checkpoints compare what agents thought and did with their cards.',
    records: ['checkpoint'],
    gap: 'Content that agents read is not in the pack. An undetected hijack leaves a clear checkpoint.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI02',
    title: 'Tool misuse and exploitation',
    answer: 'Every tool call that was asked for, the rule that decided it, and what came of it.',
    records: ['decision', 'outcome', 'policy'],
    gap: 'Calls made without asking the gateway. Arguments are recorded as hashes only.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI03',
    title: 'Identity and privilege abuse',
    answer: 'Each decision names the agent and the credential that asked.',
    records: ['decision'],
    gap: 'Rights that agents have in other systems, and how credentials are stored there.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI04',
    title: 'Agentic supply chain vulnerabilities',
    answer: '',
    records: [],
    gap: 'Definitions of tools are pinned by the gateway, but pins are not in the log. Models, packages and servers of tools are not covered.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI05',
    title: 'Unexpected code execution',
    answer: 'Calls of tools that run code were decided by policy before they ran.',
    records: ['decision', 'outcome'],
    gap: 'What the code did, and the isolation it ran in.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI06',
    title: 'Memory and context poisoning',
    answer: '',
    records: [],
    gap: 'Memories and contexts of agents are not recorded; checkpoints have hashes of contexts only.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI07',
    title: 'Insecure inter-agent communication',
    answer: '',
    records: [],
    gap: 'Messages between agents are not recorded here.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI08',
    title: 'Cascading failures',
    answer: 'Failed calls, and agents that were paused to stop a failure from spreading.',
    records: ['outcome', 'containment'],
    gap: 'Dependencies between agents and systems, and tests of failure.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI09',
    title: 'Human-agent trust exploitation',
    answer: 'What people approved and rejected, so that approvals without a look can be found.',
    records: ['approval'],
    gap: 'What people were shown and how long they looked at it.',
  },
  {
    framework: 'owasp_agentic',
    id: 'ASI10',
    title: 'Rogue agents',
    answer: 'Violations of cards, falling scores, and the containment of agents.',
    records: ['checkpoint', 'score', 'containment'],
    gap: 'Agents that are not registered.',
  },
  {
    framework: 'nist_ai_rmf',
    id: 'GOVERN 1.4',
    title: 'Transparent policies and controls',
    answer: 'The policies in force, and that each decision names the version that made it.',
    records: ['policy', 'decision'],
    gap: 'The process of risk management and its owners are documents of the organisation.',
  },
  {
    framework: 'nist_ai_rmf',
    id: 'MAP 3.5',
    title: 'Processes for human oversight',
    answer: 'Which calls people had to approve, and their answers.',
    records: ['approval', 'policy'],
    gap: 'Roles, training and the definition of the process.',
  },
  {
    framework: 'nist_ai_rmf',
    id: 'MEASURE 2.4',
    title: 'Monitoring in production',
    answer: 'Behaviour was measured in operation: checkpoints and scores.',
    records: ['checkpoint', 'score', 'outcome'],
    gap: 'Functionality, fairness, safety and security of the models themselves.',
  },
  {
    framework: 'nist_ai_rmf',
    id: 'MANAGE 2.4',
    title: 'Disengaging systems',
    answer: 'Agents that were paused or stopped, by whom, when, and when they were resumed.',
    records: ['containment'],
    gap: 'Plans for that, and systems outside of the gateway.',
  },
  {
    framework: 'nist_ai_rmf',
    id: 'MANAGE 4.3',
    title: 'Incidents and errors',
    answer: 'Violations, and their reviews: who reclassified which, and when.',
    records: ['checkpoint', 'reclassification'],
    gap: 'Communication with those affected, and lessons learned.',
  },
]

export function controlsOf(frameworks: readonly Framework[]): readonly Control[] {
  return CONTROLS.filter(({ framework }) => frameworks.includes(framework))
}
