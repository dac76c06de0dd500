import { accountOfferRoutes } from './routes/account-offers.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { appliedFilesRoutes } from './routes/applied-files.ts'
import { approvalDelegationRoutes } from './routes/approval-delegations.ts'
import { approvalRuleRoutes } from './routes/approval-rules.ts'
import { artifactRoutes } from './routes/artifacts.ts'
import { auditEventRoutes } from './routes/audit-events.ts'
import { authRoutes } from './routes/auth.ts'
import { bundledModuleRoutes } from './routes/bundled-modules.ts'
import { certificateRoutes } from './routes/certificates.ts'
import { changeRoutes } from './routes/changes.ts'
import { cloudAccountRoutes } from './routes/cloud-accounts.ts'
import { cloudMonitorRoutes } from './routes/cloud-monitor.ts'
import { codeSourceRoutes } from './routes/code-sources.ts'
import { defaultValueRoutes } from './routes/default-values.ts'
import { deploymentMetricRoutes } from './routes/deployment-metrics.ts'
import { deploymentResourceRoutes } from './routes/deployment-resources.ts'
import { deploymentRoutes } from './routes/deployments.ts'
import { describeRoutes } from './routes/describe.ts'
import { deviceSignInRoutes } from './routes/device-sign-ins.ts'
import { domainRoutes } from './routes/domains.ts'
import { environmentNetworkRoutes } from './routes/environment-networks.ts'
import { environmentOrderRoutes } from './routes/environment-order.ts'
import { environmentRoutes } from './routes/environments.ts'
import { executionAssignmentRoutes } from './routes/execution-assignments.ts'
import { executionEnvironmentRoutes } from './routes/execution-environments.ts'
import { favouriteRoutes } from './routes/favourites.ts'
import { freezeRoutes } from './routes/freezes.ts'
import { gitHostRoutes } from './routes/git-hosts.ts'
import { healthRoutes } from './routes/health.ts'
import { holdRoutes } from './routes/holds.ts'
import { iacPlanRoutes } from './routes/iac-plans.ts'
import { iacResourceRoutes } from './routes/iac-resources.ts'
import { iacStateRoutes } from './routes/iac-states.ts'
import { inboxRoutes } from './routes/inbox.ts'
import { infrastructureEventRoutes } from './routes/infrastructure-events.ts'
import { invitationRoutes } from './routes/invitations.ts'
import { limitRoutes } from './routes/limits.ts'
import { membershipRoutes } from './routes/memberships.ts'
import { moduleDefinitionRoutes } from './routes/module-definitions.ts'
import { moduleImportRoutes } from './routes/module-imports.ts'
import { moduleInstanceTaskRoutes } from './routes/module-instance-tasks.ts'
import { moduleInstanceRoutes } from './routes/module-instances.ts'
import { moduleVersionRoutes } from './routes/module-versions.ts'
import { notificationSettingsRoutes } from './routes/notification-settings.ts'
import { notificationRoutes } from './routes/notifications.ts'
import { organizationRoutes } from './routes/organizations.ts'
import { pipelineRunRoutes } from './routes/pipeline-runs.ts'
import { pipelineStepExecutionRoutes } from './routes/pipeline-step-executions.ts'
import { pipelineVersionRoutes } from './routes/pipeline-versions.ts'
import { pipelineRoutes } from './routes/pipelines.ts'
import { policyRoutes } from './routes/policies.ts'
import { previewEnvironmentRoutes } from './routes/preview-environments.ts'
import { previewTemplateRoutes } from './routes/preview-templates.ts'
import { priceListRoutes } from './routes/price-list.ts'
import { projectRoutes } from './routes/projects.ts'
import { promotionRuleRoutes } from './routes/promotion-rules.ts'
import { reportRoutes } from './routes/reports.ts'
import { repositoryRoutes } from './routes/repositories.ts'
import { roleGrantRoutes } from './routes/role-grants.ts'
import type { RouteTable } from './routes/route.ts'
import { runnerRoutes } from './routes/runners.ts'
import { searchRoutes } from './routes/search.ts'
import { serviceAccountTrustRoutes } from './routes/service-account-trusts.ts'
import { serviceAccountRoutes } from './routes/service-accounts.ts'
import { serviceHealthRoutes } from './routes/service-health.ts'
import { serviceRoutes } from './routes/services.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { singleSignOnRoutes } from './routes/single-sign-on.ts'
import { slackAccountRoutes } from './routes/slack-accounts.ts'
import { stackDriftRoutes } from './routes/stack-drift.ts'
import { stackRoutes } from './routes/stacks.ts'
import { teamRoutes } from './routes/teams.ts'
import { userRoutes } from './routes/users.ts'
import { valueRoutes } from './routes/values.ts'
import { watchedRepositoryRoutes } from './routes/watched-repositories.ts'

/** Every operation of the interface. Server, client, console and reference all read this one table. */
export const routes = {
  ...authRoutes,
  ...deviceSignInRoutes,
  ...certificateRoutes,
  ...changeRoutes,
  ...cloudAccountRoutes,
  ...cloudMonitorRoutes,
  ...codeSourceRoutes,
  ...repositoryRoutes,
  ...defaultValueRoutes,
  ...deploymentMetricRoutes,
  ...deploymentRoutes,
  ...deploymentResourceRoutes,
  ...describeRoutes,
  ...domainRoutes,
  ...environmentRoutes,
  ...environmentNetworkRoutes,
  ...environmentOrderRoutes,
  ...accountOfferRoutes,
  ...executionAssignmentRoutes,
  ...executionEnvironmentRoutes,
  ...approvalRuleRoutes,
  ...approvalDelegationRoutes,
  ...freezeRoutes,
  ...notificationRoutes,
  ...gitHostRoutes,
  ...healthRoutes,
  ...holdRoutes,
  ...promotionRuleRoutes,
  ...previewTemplateRoutes,
  ...watchedRepositoryRoutes,
  ...previewEnvironmentRoutes,
  ...policyRoutes,
  ...artifactRoutes,
  ...iacPlanRoutes,
  ...priceListRoutes,
  ...iacResourceRoutes,
  ...iacStateRoutes,
  ...infrastructureEventRoutes,
  ...limitRoutes,
  ...bundledModuleRoutes,
  ...moduleDefinitionRoutes,
  ...moduleImportRoutes,
  ...moduleInstanceRoutes,
  ...moduleInstanceTaskRoutes,
  ...moduleVersionRoutes,
  ...pipelineRoutes,
  ...pipelineRunRoutes,
  ...pipelineStepExecutionRoutes,
  ...pipelineVersionRoutes,
  ...projectRoutes,
  ...appliedFilesRoutes,
  ...runnerRoutes,
  ...searchRoutes,
  ...serviceRoutes,
  ...serviceHealthRoutes,
  ...stackRoutes,
  ...stackDriftRoutes,
  ...apiKeyRoutes,
  ...slackAccountRoutes,
  ...auditEventRoutes,
  ...invitationRoutes,
  ...membershipRoutes,
  ...organizationRoutes,
  ...reportRoutes,
  ...roleGrantRoutes,
  ...serviceAccountRoutes,
  ...serviceAccountTrustRoutes,
  ...sessionRoutes,
  ...singleSignOnRoutes,
  ...teamRoutes,
  ...favouriteRoutes,
  ...inboxRoutes,
  ...notificationSettingsRoutes,
  ...userRoutes,
  ...valueRoutes,
} as const satisfies RouteTable
