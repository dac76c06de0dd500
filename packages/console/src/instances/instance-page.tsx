import { Anchor, Group, Stack, Tabs } from '@mantine/core'
import type { ModuleInstance } from '@sluice/contract'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { PermissionScopeContext } from '../api/scope.ts'
import { useOperation } from '../api/use-operation.ts'
import { usePermission } from '../api/use-permission.ts'
import { FavoriteButton } from '../favorites/favorite-button.tsx'
import { ManagedByFiles } from '../files/managed-by-files.tsx'
import { FreezeBanner } from '../freezes/freeze-banner.tsx'
import { HoldButton } from '../holds/hold-form.tsx'
import { InstanceHolds } from '../holds/instance-holds.tsx'
import { CurrentStatus } from '../services/current-status.tsx'
import { Breadcrumb, useScopeNames } from '../ui/breadcrumb.tsx'
import { CopyableId } from '../ui/buttons/copyable-id.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { DeployForm } from './deploy-form.tsx'
import { History } from './history.tsx'
import { LatestRun } from './latest-run.tsx'
import { LogsPanel } from './logs-panel.tsx'
import { MetricsPanel } from './metrics-panel.tsx'
import { OutputsPanel } from './outputs-panel.tsx'
import { ResourcesPanel } from './resources-panel.tsx'

const ArtifactsPanel = lazy(() =>
  import('./artifacts-panel.tsx').then((module) => ({ default: module.ArtifactsPanel })),
)

const DriftPanel = lazy(() => import('./drift-panel.tsx').then((module) => ({ default: module.DriftPanel })))

const InputsPanel = lazy(() => import('./inputs-panel.tsx').then((module) => ({ default: module.InputsPanel })))

const Promotion = lazy(() => import('./promotion.tsx').then((module) => ({ default: module.Promotion })))

const TasksPanel = lazy(() => import('./tasks-panel.tsx').then((module) => ({ default: module.TasksPanel })))

const route = getRouteApi('/shell/console/instances/$id')

/** Shows a module instance with its releases, inputs, infrastructure, logs and metrics. */
export const InstancePage = () => {
  const { id } = route.useParams()
  const instance = useOperation('getModuleInstance', { params: { id } })
  return (
    <QueryResult of={instance}>
      {({ data }) => (
        <PermissionScopeContext value={{ projectId: data.projectId, environmentId: data.environmentId }}>
          <Shown instance={data} />
        </PermissionScopeContext>
      )}
    </QueryResult>
  )
}

const Shown = ({ instance }: { instance: ModuleInstance }) => {
  const { name, type, description, status, error, moduleVersionId, ui, stackId } = instance
  const { tab = 'releases', from } = route.useSearch()
  const navigate = route.useNavigate()
  const scopeNames = useScopeNames(instance)
  const version = useOperation('getModuleVersion', { params: { id: moduleVersionId } })
  const { isAllowed: mayChange } = usePermission('module-instances:write')
  const hasDeploy = (version.data?.data.config.deploy ?? null) !== null
  const isBuilt = (version.data?.data.config.build ?? null) !== null
  const named = [type, version.data?.data.version].filter(Boolean).join(' ')
  return (
    <Stack gap="lg" maw={1200}>
      <PageTitle
        title={[name, scopeNames.environment?.name].filter(Boolean).join(' · ')}
        above={<Breadcrumb project={scopeNames.project} environment={scopeNames.environment} />}
        of={tab === 'releases' ? undefined : tab}
        below={[named, description].filter(Boolean).join(' · ')}
        aside={
          <Group gap="xs">
            <FavoriteButton id={instance.id} name={name} />
            <StatusBadge status={status} size="lg" />
            <HoldButton scope={{ moduleInstanceId: instance.id }} name={name} />
          </Group>
        }
      />
      <CurrentStatus moduleInstanceId={instance.id} isInline />
      <ManagedByFiles projectId={instance.projectId} recordId={instance.id} />
      <InstanceHolds instance={instance} />
      {error && <ErrorPanel error={error} />}
      <FreezeBanner scope={{ ...instance, moduleInstanceId: instance.id }} instance={instance} />
      {ui?.links && ui.links.length > 0 && (
        <Group gap="md">
          {ui.links.map(({ href, name }) => (
            <Anchor key={href} href={href} target="_blank" rel="noreferrer">
              {name}
            </Anchor>
          ))}
        </Group>
      )}
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(chosen) => navigate({ search: { tab: chosen ?? 'releases' }, replace: true })}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="releases">Releases</Tabs.Tab>
          {isBuilt && <Tabs.Tab value="artifacts">Artifacts</Tabs.Tab>}
          {hasDeploy && <Tabs.Tab value="tasks">Tasks</Tabs.Tab>}
          <Tabs.Tab value="inputs">Inputs</Tabs.Tab>
          <Tabs.Tab value="infrastructure">Infrastructure</Tabs.Tab>
          {stackId !== undefined && <Tabs.Tab value="outputs">Outputs</Tabs.Tab>}
          {ui?.logs && ui.logs.length > 0 && <Tabs.Tab value="logs">Logs</Tabs.Tab>}
          {ui?.metrics && ui.metrics.length > 0 && <Tabs.Tab value="metrics">Metrics</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="releases">
          <Releases instance={instance} from={from} />
        </Tabs.Panel>
        <Tabs.Panel value="artifacts">
          <Suspense>
            <ArtifactsPanel instance={instance} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="tasks">
          <Suspense>
            <TasksPanel instance={instance} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="inputs">
          <Suspense>
            <InputsPanel instance={instance} mayChange={mayChange} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="infrastructure">
          <Stack gap="lg">
            <LatestRun instanceId={instance.id} />
            {stackId !== undefined && <DriftPanel projectId={instance.projectId} stackId={stackId} />}
            <ResourcesPanel stackId={stackId} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="outputs">{stackId !== undefined && <OutputsPanel stackId={stackId} />}</Tabs.Panel>
        <Tabs.Panel value="logs">
          <LogsPanel instance={instance} />
        </Tabs.Panel>
        <Tabs.Panel value="metrics">
          <MetricsPanel instance={instance} />
        </Tabs.Panel>
      </Tabs>
      <CopyableId id={instance.id} />
    </Stack>
  )
}

const Releases = ({ instance, from }: { instance: ModuleInstance; from: string | undefined }) => (
  <Stack gap="lg">
    {from === undefined ? (
      <DeployForm instance={instance} />
    ) : (
      <Suspense>
        <Promotion instance={instance} from={from} />
      </Suspense>
    )}
    <History instance={instance} />
  </Stack>
)
