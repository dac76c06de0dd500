import type { Tool } from '../tool.ts'
import { cancelDeployment, continueDeployment, release, rollBack, startRun } from './acting.ts'
import { diffPlan, diffRelease, diffUpgrade, dryRunPipeline } from './changes.ts'
import { explainDeployment, listDeployments } from './deployments.ts'
import { readInstanceLog, readLog } from './logs.ts'
import { listProjects } from './projects.ts'
import { explainRun } from './runs.ts'
import { search } from './search.ts'
import { whatWaitsForMe } from './waiting.ts'
import { whatRuns } from './what-runs.ts'

/** All tools. None of them approves or rejects anything, because a person must do that. */
export const tools: readonly Tool[] = [
  listProjects,
  whatRuns,
  listDeployments,
  explainDeployment,
  explainRun,
  whatWaitsForMe,
  diffRelease,
  diffUpgrade,
  diffPlan,
  dryRunPipeline,
  readLog,
  readInstanceLog,
  search,
  release,
  continueDeployment,
  cancelDeployment,
  rollBack,
  startRun,
]
