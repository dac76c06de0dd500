import { Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import type { Environment } from '@sluice/contract'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useCallback } from 'react'
import { PermissionScopeContext } from '../api/scope.ts'
import { useOperation } from '../api/use-operation.ts'
import { usePages } from '../api/use-pages.ts'
import { usePermission } from '../api/use-permission.ts'
import { useSelection } from '../bulk/use-selection.ts'
import { NewEnvironment } from '../environments/new-environment.tsx'
import { FavoriteButton } from '../favorites/favorite-button.tsx'
import { ManagedProject } from '../files/managed-by-files.tsx'
import { FreezeBanner } from '../freezes/freeze-banner.tsx'
import { ProjectPreviews } from '../previews/project-previews.tsx'
import { ButtonLink } from '../ui/buttons/button-link.tsx'
import { CopyableId } from '../ui/buttons/copyable-id.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Loading } from '../ui/loading.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { EnvironmentOrder } from './environment-order.tsx'
import { ExpiringCertificates } from './expiring-certificates.tsx'
import { type Filters, filtersToQuery, parseFilters } from './filters.ts'
import { Matrix } from './matrix.tsx'
import { ServiceCards } from './service-cards.tsx'
import { ServiceFilters } from './service-filters.tsx'
import { useEnvironmentsInOrder } from './use-environments-in-order.ts'

const ServiceActions = lazy(() =>
  import('../bulk/service-actions.tsx').then((module) => ({ default: module.ServiceActions })),
)

const route = getRouteApi('/shell/console/projects/$id')

/** Shows the services of a project by environment. */
export const ProjectPage = () => {
  const { id } = route.useParams()
  const project = useOperation('getProject', { params: { id } })
  const environments = useEnvironmentsInOrder(id)
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const narrow = (wanted: Filters) => navigate({ search: parseFilters(wanted), replace: true })
  return (
    <QueryResult of={project}>
      {({ data: { name, givenId, description } }) => (
        <PermissionScopeContext value={{ projectId: id }}>
          <Stack gap={8} mt={{ md: -12 }}>
            <PageTitle
              title={name}
              of="Project"
              aside={
                <Group gap="xs">
                  <FavoriteButton id={id} name={name} />
                  <ButtonLink to="/console/activity" search={{ project: id }} variant="default" size="xs">
                    Activity
                  </ButtonLink>
                  {environments && environments.length > 1 && (
                    <EnvironmentOrder projectId={id} environments={environments} />
                  )}
                  <NewEnvironment projectId={id} />
                </Group>
              }
            />
            <ManagedProject projectId={id} />
            <ExpiringCertificates projectId={id} />
            <FreezeBanner scope={{ projectId: id }} />
            <ProjectPreviews projectId={id} />
            <ServiceFilters filters={filters} onChange={narrow} />
            {environments ? <Services projectId={id} environments={environments} filters={filters} /> : <Loading />}
            <Text component="div" size="sm" c="dimmed">
              {[givenId, description].filter(Boolean).join(' · ')} · <CopyableId id={id} />
            </Text>
          </Stack>
        </PermissionScopeContext>
      )}
    </QueryResult>
  )
}

type Props = { projectId: string; environments: readonly Environment[]; filters: Filters }

/** Screens on which a table of environments does not fit. */
const narrowScreen = '(max-width: 48em)'

/** Delay after the last key press before searching. */
const typingMs = 200

const Services = ({ projectId, environments, filters }: Props) => {
  const [settled] = useDebouncedValue(filters, typingMs)
  const isNarrow = useMediaQuery(narrowScreen, false, { getInitialValueInEffect: false })
  const pages = usePages('listServices', {
    projectId,
    limit: 100,
    sort: 'PROBLEMS',
    include: ['promotionCandidates'],
    ...filtersToQuery(settled),
  })
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const services = data?.pages.flatMap((page) => page.data) ?? []
  const selection = useSelection(services.map(({ givenId }) => givenId))
  const [deploys, holds] = [usePermission('deployments:write'), usePermission('holds:write')]
  if (data === undefined) return error ? <ErrorPanel error={errorOf(error)} /> : <Loading />
  const promotionCandidates = Object.fromEntries(
    data.pages.flatMap((page) => Object.entries(page.included?.promotionCandidates ?? {})),
  )
  const totalCount = data.pages[0]?.meta.totalCount ?? 0
  const isNarrowed = Object.keys(settled).length > 0
  if (services.length === 0) {
    return isNarrowed ? (
      <Notice title="No matching services">Remove a filter to see more.</Notice>
    ) : (
      <Notice
        title="No services yet"
        action={
          <Group gap="md">
            {environments.map(({ id, name }) => (
              <TextLink key={id} to="/console/environments/$id/new" params={{ id }}>
                Create instance in {name}
              </TextLink>
            ))}
          </Group>
        }
      >
        {environments.length === 0
          ? 'Create an environment first, such as Production.'
          : 'Create an instance in an environment to begin.'}
      </Notice>
    )
  }
  const matrix = {
    projectId,
    services,
    promotionCandidates,
    environments,
    totalCount,
    onEnd: readOn,
    selection: deploys.isAllowed || holds.isAllowed ? selection : undefined,
  }
  return (
    <Stack gap="xs">
      {isNarrow ? <ServiceCards {...matrix} /> : <Matrix {...matrix} />}
      {selection.selected.size > 0 && (
        <Suspense>
          <ServiceActions
            projectId={projectId}
            services={services.filter(({ givenId }) => selection.selected.has(givenId))}
            environments={environments}
            promotionCandidates={promotionCandidates}
            onClear={selection.clear}
          />
        </Suspense>
      )}
      <Text size="sm" c="dimmed" role="status">
        {totalCount} {totalCount === 1 ? 'service' : 'services'} in {environments.length}{' '}
        {environments.length === 1 ? 'environment' : 'environments'}
      </Text>
    </Stack>
  )
}
