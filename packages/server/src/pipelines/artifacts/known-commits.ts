import type { KnownCommits } from '../../delivery/deployments/representation/sources.ts'
import type { GitHosts } from '../../git/adapter/hosts.ts'
import { pushedCommits } from '../pipeline-runs/pushed-commits.ts'
import { builtCommits } from './built-commits.ts'

/** Which commits releases are of: those that set their runs off, and those that builds made what they release of. */
export const knownCommits = (hosts: GitHosts): KnownCommits => ({
  ofRuns: (...asked) => pushedCommits(hosts, ...asked),
  ofArtifacts: (...asked) => builtCommits(hosts, ...asked),
})
