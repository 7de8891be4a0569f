export { deriveTeamCard, TEAM_CARDS_MIN } from './derive-team-card.ts'
export {
  type ChainedAssessment,
  type MemberStanding,
  memberScoreHash,
  teamChainHash,
  teamProofHash,
} from './team-proof.ts'
export {
  type AssessmentGroup,
  FADING_DAYS_END,
  GOOD_LEVELS,
  ROSTER_CHANGE_DAYS_END,
  rateTeam,
  TEAM_ASSESSMENTS_MIN,
  TEAM_COMPONENTS,
  type TeamComponentKey,
  type TeamReputation,
  type TeamReputationInput,
} from './team-reputation.ts'
