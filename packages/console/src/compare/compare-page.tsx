import { ActionIcon, Group, Select, Stack, Text, Tooltip } from '@mantine/core'
import type { Deployment, ModuleInstance } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { getRouteApi } from '@tanstack/react-router'
import { PermissionScopeContext } from '../api/scope.ts'
import { useOperation } from '../api/use-operation.ts'
import { Breadcrumb, useScopeNames } from '../ui/breadcrumb.tsx'
import { IconArrowsExchange } from '../ui/icons.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { statusStyles } from '../ui/status-badge.tsx'
import classes from './compare.module.css'
import { Differences } from './differences.tsx'

const route = getRouteApi('/shell/console/instances/$id/compare')

/** Releases to choose from: the newest ones. The address can name any other release. */
const listed = { limit: 50 } as const

/** Compares any two releases of a service. */
export const ComparePage = () => {
  const { id } = route.useParams()
  const instance = useOperation('getModuleInstance', { params: { id } })
  return (
    <QueryResult of={instance}>
      {({ data }) => (
        <PermissionScopeContext value={{ projectId: data.projectId, environmentId: data.environmentId }}>
          <Compared instance={data} />
        </PermissionScopeContext>
      )}
    </QueryResult>
  )
}

const Compared = ({ instance }: { instance: ModuleInstance }) => {
  const scopeNames = useScopeNames(instance)
  const deployments = useOperation('listDeployments', { query: { moduleInstanceId: instance.id, ...listed } })
  const service = [instance.name, scopeNames.environment?.name].filter(Boolean).join(' · ')
  return (
    <Stack gap="lg">
      <PageTitle
        title="Compare releases"
        of={service}
        above={<Breadcrumb project={scopeNames.project} environment={scopeNames.environment} service={instance} />}
        below="Shows every setting in which two releases of this service differ."
      />
      <QueryResult of={deployments}>
        {({ data }) =>
          data.length < 2 ? (
            <Notice title="Nothing to compare yet" level={2}>
              This service needs at least two releases.
            </Notice>
          ) : (
            <Choice deployments={data} />
          )
        }
      </QueryResult>
    </Stack>
  )
}

/** Selects both releases. Without an address of its own, compares the newest one with the one before. */
const Choice = ({ deployments }: { deployments: readonly Deployment[] }) => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const to = search.to ?? deployments.find(({ id }) => id !== search.from)?.id ?? ''
  const from = search.from ?? releaseBefore(deployments, to) ?? ''
  const [before, after] = [useRelease(deployments, from), useRelease(deployments, to)]
  const compare = (changed: { from?: string; to?: string }) =>
    navigate({ search: { from, to, ...changed }, replace: true, resetScroll: false })
  const options = [...new Set([before, after, ...deployments])].flatMap((one) =>
    one ? [{ value: one.id, label: labelOf(one), createdAt: one.createdAt }] : [],
  )
  const data = options.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))
  return (
    <>
      <div className={classes.choice}>
        <Select
          label="Before"
          allowDeselect={false}
          searchable
          data={data}
          value={from}
          onChange={(id) => id && compare({ from: id })}
        />
        <Tooltip label="Swap">
          <ActionIcon
            variant="default"
            size="input-sm"
            aria-label="Swap before and after"
            onClick={() => compare({ from: to, to: from })}
          >
            <IconArrowsExchange size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <Select
          label="After"
          allowDeselect={false}
          searchable
          data={data}
          value={to}
          onChange={(id) => id && compare({ to: id })}
        />
      </div>
      {from === to ? (
        <Notice title="Both sides are the same release">Choose another release on one side.</Notice>
      ) : (
        <Found from={from} to={to} before={before} after={after} />
      )}
    </>
  )
}

type FoundProps = { from: string; to: string; before: Deployment | undefined; after: Deployment | undefined }

const Found = ({ from, to, before, after }: FoundProps) => {
  const differences = useOperation('getDeploymentDifferences', { params: { id: to }, query: { against: from } })
  const isCurrent = differences.data?.data.deploymentId === to && differences.data.data.againstDeploymentId === from
  return (
    <QueryResult of={differences}>
      {({ data }) =>
        isCurrent ? (
          <Differences of={data} before={versionName(before)} after={versionName(after)} />
        ) : (
          <Group aria-busy>
            <Text c="dimmed">Comparing…</Text>
          </Group>
        )
      }
    </QueryResult>
  )
}

const versionName = (deployment: Deployment | undefined): string | undefined =>
  versionOf(releaseMarksOf(deployment?.data))

/** Returns the release before another one in a list that starts with the newest. */
const releaseBefore = (deployments: readonly Deployment[], id: string): string | undefined => {
  const at = deployments.findIndex((one) => one.id === id)
  return deployments[at + 1]?.id ?? deployments.find((one) => one.id !== id)?.id
}

/** Returns a release from the list, or fetches an older one. */
function useRelease(deployments: readonly Deployment[], id: string): Deployment | undefined {
  const known = deployments.find((one) => one.id === id)
  const fetched = useOperation('getDeployment', { params: { id } }, { enabled: known === undefined && id !== '' })
  return known ?? (fetched.data?.data.id === id ? fetched.data.data : undefined)
}

const labelOf = (deployment: Deployment): string =>
  [
    versionName(deployment) ?? 'Release',
    statusStyles[deployment.status].label,
    new Date(deployment.createdAt).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
    deployment.description,
  ]
    .filter(Boolean)
    .join(' · ')
