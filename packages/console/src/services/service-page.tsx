import { Group, Stack, Table, Text } from '@mantine/core'
import type { DeploymentRecordRow, Service, ServiceHealth, ServicePromotionCandidate } from '@sluice/contract'
import { getRouteApi } from '@tanstack/react-router'
import { PermissionScopeContext } from '../api/scope.ts'
import { useOperation } from '../api/use-operation.ts'
import { type PlacedService, placedServices } from '../projects/placed-services.ts'
import { PromotionBadge } from '../projects/promotion-badge.tsx'
import { ServiceMenu } from '../projects/service-menu.tsx'
import { useEnvironmentsInOrder } from '../projects/use-environments-in-order.ts'
import { formatDuration } from '../reports/format.ts'
import { Breadcrumb } from '../ui/breadcrumb.tsx'
import { HoldBadge } from '../ui/hold-badge.tsx'
import { Loading } from '../ui/loading.tsx'
import { RecordNotFound } from '../ui/not-found.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { DataTable } from '../ui/tables/data-table.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { ClockTime } from '../ui/time.tsx'
import classes from './service-page.module.css'
import { ServiceStatus } from './service-status.tsx'
import { useHealth } from './use-health.ts'
import { requestsOf } from './use-service-states.ts'

const route = getRouteApi('/shell/console/projects/$id/services/$service')

/** Shows a service across all environments of its project: what runs where, its promotions and its history. */
export const ServicePage = () => {
  const { id: projectId, service: givenId } = route.useParams()
  const answer = useOperation('listServices', { query: { projectId, givenId, include: ['promotionCandidates'] } })
  return (
    <QueryResult of={answer}>
      {({ data: [service], included }) =>
        service ? (
          <PermissionScopeContext value={{ projectId }}>
            <Shown
              projectId={projectId}
              service={service}
              candidates={included?.promotionCandidates?.[givenId] ?? []}
            />
          </PermissionScopeContext>
        ) : (
          <RecordNotFound message={`This project has no service with the ID ${givenId}.`} />
        )
      }
    </QueryResult>
  )
}

type Props = { projectId: string; service: Service; candidates: readonly ServicePromotionCandidate[] }

const Shown = ({ projectId, service, candidates }: Props) => {
  const { name, givenId, places } = service
  const project = useOperation('getProject', { params: { id: projectId } }).data?.data
  const environments = useEnvironmentsInOrder(projectId)
  const healths = useHealth(requestsOf(places.map(({ moduleInstanceId }) => moduleInstanceId)))
  const types = [...new Set(places.map(({ type }) => type))]
  return (
    <Stack gap="lg" maw={1200}>
      <PageTitle
        title={name}
        above={<Breadcrumb project={project} environment={undefined} />}
        of="Service"
        below={[givenId === name ? undefined : givenId, ...types].filter(Boolean).join(' · ')}
      />
      <Section title="Environments">
        {environments ? (
          <ul className={classes.environments}>
            {placedServices(service, environments, candidates).map((one) => (
              <EnvironmentRow
                key={one.environment.id}
                of={one}
                serviceName={name}
                health={healths[one.place.moduleInstanceId]}
              />
            ))}
          </ul>
        ) : (
          <Loading lines={places.length} />
        )}
      </Section>
      <RecentDeployments projectId={projectId} service={service} />
    </Stack>
  )
}

type RowProps = { of: PlacedService; serviceName: string; health: ServiceHealth | undefined }

const EnvironmentRow = ({ of: { environment, place, next, candidate }, serviceName, health }: RowProps) => {
  const { moduleInstanceId: id, hold, driftedResources, status } = place
  const problems = [
    status === 'ERROR' && 'Infrastructure failed',
    driftedResources > 0 && `${driftedResources} drifted ${driftedResources === 1 ? 'resource' : 'resources'}`,
  ].filter((one) => one !== false)
  return (
    <li className={classes.environment}>
      <TextLink to="/console/instances/$id" params={{ id }} fw={600}>
        {environment.name}
      </TextLink>
      <Stack gap={4} miw={0}>
        <ServiceStatus place={place} health={health} />
        {(hold || problems.length > 0) && (
          <Group gap="xs">
            {hold && <HoldBadge {...hold} />}
            {problems.map((problem) => (
              <TextLink
                key={problem}
                to="/console/instances/$id"
                params={{ id }}
                search={{ tab: 'infrastructure' }}
                size="sm"
              >
                {problem}
              </TextLink>
            ))}
          </Group>
        )}
      </Stack>
      <div>{candidate && next && <PromotionBadge promotionCandidates={candidate} to={next.environment.name} />}</div>
      <Group gap="sm" wrap="nowrap" className={classes.links}>
        {(['logs', 'metrics'] as const).map((tab) => (
          <TextLink
            key={tab}
            to="/console/instances/$id"
            params={{ id }}
            search={{ tab }}
            size="sm"
            tt="capitalize"
            aria-label={`${tab} of ${environment.name}`}
          >
            {tab}
          </TextLink>
        ))}
        <ServiceMenu
          label={`${serviceName} in ${environment.name}`}
          environment={environment}
          place={place}
          next={next}
        />
      </Group>
    </li>
  )
}

const maxRows = 50

const RecentDeployments = ({ projectId, service: { givenId, name } }: Omit<Props, 'candidates'>) => {
  const records = useOperation('getDeploymentRecords', { query: { projectId, givenId, limit: maxRows } })
  return (
    <Section
      title="Deployments of the last 30 days"
      aside={
        <TextLink to="/console/deployments" search={{ project: projectId, service: name }} size="sm">
          Filter deployments
        </TextLink>
      }
    >
      <QueryResult of={records}>
        {({ data: { rows, total } }) =>
          rows.length === 0 ? (
            <Notice title="No deployments in the last 30 days">
              Deployments of this service in any environment appear here.
            </Notice>
          ) : (
            <Stack gap="xs">
              <DataTable
                label="Deployments"
                head={['Environment', 'Version', 'Status', 'Person', 'Created', 'Duration']}
                minWidth={720}
              >
                {rows.map((row) => (
                  <DeploymentRow key={row.deploymentId} row={row} />
                ))}
              </DataTable>
              {rows.length < total && (
                <Text size="sm" c="dimmed">
                  The latest {rows.length} of {total} deployments.
                </Text>
              )}
            </Stack>
          )
        }
      </QueryResult>
    </Section>
  )
}

const DeploymentRow = ({ row }: { row: DeploymentRecordRow }) => {
  const { deploymentId, environmentName, version, status, isPaused, triggeredBy, createdAt, seconds } = row
  return (
    <Table.Tr>
      <Table.Td>{environmentName}</Table.Td>
      <Table.Td>
        <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} fw={600} size="sm">
          {version ?? 'View deployment'}
        </TextLink>
      </Table.Td>
      <Table.Td>
        <StatusBadge status={isPaused ? 'PAUSED' : status} size="sm" />
      </Table.Td>
      <Table.Td>{triggeredBy}</Table.Td>
      <Table.Td>
        <ClockTime at={createdAt} />
      </Table.Td>
      <Table.Td>{formatDuration(seconds)}</Table.Td>
    </Table.Tr>
  )
}
