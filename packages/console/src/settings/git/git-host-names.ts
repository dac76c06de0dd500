import type { CodeSource } from '@sluice/contract'

/** The git hosts by the names that people know them by. */
export const hosts = {
  GITHOSTA: 'GitHub',
  GITHOSTB: 'GitLab',
  GITHOSTB_SELF_HOSTED: 'Self-managed GitLab',
} as const satisfies Record<CodeSource['type'], string>
