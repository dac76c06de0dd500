import type { CodeSource } from '@sluice/contract'

/** Display names of Git hosts. */
export const gitHostNames = {
  GITHOSTA: 'GitHub',
  GITHOSTB: 'GitLab',
  GITHOSTB_SELF_HOSTED: 'Self-managed GitLab',
} as const satisfies Record<CodeSource['type'], string>
