import { cloudOf } from '../cloud/domain.ts'
import { resourcePrices } from '../delivery/domain.ts'
import { pastSubjects } from '../gates/domain.ts'
import { gitOf } from '../git/domain.ts'
import { usageCounts } from '../identity/domain.ts'
import { instanceHistory, instanceRunner, stackRemoval } from '../modules/domain.ts'
import {
  approvalSubjects,
  assignmentsOf,
  attemptTokensOf,
  gitSubscribers,
  instanceRetry,
  onRunEnded,
  runPartsOf,
  stepOrders,
} from '../pipelines/domain.ts'
import { consoleLinks } from '../platform/config/addresses.ts'
import { type Domain, findDependentsOf, operationParts, part } from '../platform/domain.ts'
import { environmentHistory, valueSealOf } from '../projects/domain.ts'
import { onStateRestored } from '../stacks/domain.ts'
import { createStateTokens } from '../stacks/iac-states/token.ts'
import { findApprovalSubject } from './approval-subjects/subject.ts'
import { markCurrent } from './iac-resources/record.ts'
import { serveIacResources } from './iac-resources/routes.ts'
import { iacOrders } from './iac-steps/orders.ts'
import { pastPlans } from './iac-steps/past-plans.ts'
import { serveIacSteps } from './iac-steps/routes.ts'
import { instanceRunEnded } from './instance-runs/ended.ts'
import { hasHistory } from './instance-runs/history.ts'
import { retryOfInstance } from './instance-runs/retry.ts'
import { instanceRuns } from './instance-runs/runs.ts'
import { instanceRunsFor } from './instance-runs/triggered-runs.ts'
import { previewObject } from './preview-environments/handlers.ts'
import { previewsFor } from './preview-environments/pull-request-events.ts'
import { servePreviewEnvironments } from './preview-environments/routes.ts'
import { anyTemplateHasPaths, overduePreviews } from './preview-environments/store.ts'
import { previewEnvironments } from './preview-environments/tables.ts'
import { findPrice } from './price-list/find-price.ts'
import { servePriceList } from './price-list/routes.ts'
import { infrastructureRecords } from './records.ts'
import { driftCheckEnded } from './stack-drift/ended.ts'
import { serveStackDrift } from './stack-drift/routes.ts'
import { driftCheckTask } from './stack-drift/schedule.ts'
import { countChecksInProgress } from './stack-drift/store.ts'
import { serveStateBackend } from './state-backend/routes.ts'

export const stateTokensOf = part(({ keys }) => createStateTokens(keys.secretsFor('state tokens')))

export const infrastructure: Domain = {
  records: infrastructureRecords,
  serve(app, platform) {
    const { db } = platform.database
    const parts = {
      ...operationParts(platform),
      seal: valueSealOf(platform),
      stateTokens: stateTokensOf(platform),
      attemptTokens: attemptTokensOf(platform),
      handOut: assignmentsOf(app, platform),
    }
    serveStackDrift(app, parts)
    servePriceList(app)
    serveIacResources(app)
    serveStateBackend(app, { ...parts, db })
    servePreviewEnvironments(app, parts)
    serveIacSteps(app, parts)
  },
  extensions(platform) {
    const { config, engine, limits, log } = platform
    const { hosts } = gitOf(platform)
    return [
      usageCounts.extend({ driftChecks: countChecksInProgress }),
      onStateRestored.extend(markCurrent),
      instanceRunner.extend(instanceRuns({ engine, log })),
      instanceHistory.extend(hasHistory),
      pastSubjects.extend({ PLANS: pastPlans }),
      resourcePrices.extend(findPrice),
      instanceRetry.extend(retryOfInstance),
      approvalSubjects.extend((...asked) => findApprovalSubject(hosts, ...asked)),
      onRunEnded.extend(instanceRunEnded),
      onRunEnded.extend((tx, run, now) => driftCheckEnded(tx, run, { log, limits }, now)),
      gitSubscribers.extend({
        startRuns: (tx, news, now) => instanceRunsFor(tx, news, { log, limits }, now),
        onPullRequest: previewsFor,
        needsPaths: anyTemplateHasPaths,
      }),
      stepOrders.extend(
        iacOrders({
          ...operationParts(platform),
          seal: valueSealOf(platform),
          cloud: cloudOf(platform),
          stateTokens: stateTokensOf(platform),
          cloudEndpoint: config.cloudEndpoint,
          mosts: limits.mosts,
        }),
      ),
    ]
  },
  work(platform, { own }) {
    const { config, database, engine, limits, log } = platform
    const { db } = database
    const clock = platform.clock.now
    const previewParts = {
      ...gitOf(platform),
      ...runPartsOf(platform),
      linkTo: consoleLinks(config),
      findDependents: findDependentsOf(platform),
      removeHistoryOfEnvironment: environmentHistory.one(platform),
      removeUnusedStack: stackRemoval.one(platform),
    }
    return {
      objects: [previewObject(own.workOn(previewEnvironments, previewParts))],
      overdue: [overduePreviews],
      sweeps: [driftCheckTask({ db, engine, clock, log, limits })],
    }
  },
}
