import type { KnownCommits } from '../../delivery/deployments/representation/sources.ts'
import type { GitHosts } from '../../git/adapter/hosts.ts'
import { pushedCommits } from '../pipeline-runs/pushed-commits.ts'
import { builtCommits } from './built-commits.ts'

/**
 * Returns the lookups for commits of releases: from the trigger of their run, and from the builds of their artifacts.
 */
export const knownCommits = (hosts: GitHosts): KnownCommits => ({
  ofRuns: (...asked) => pushedCommits(hosts, ...asked),
  ofArtifacts: (...asked) => builtCommits(hosts, ...asked),
})
