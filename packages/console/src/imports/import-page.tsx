import { Group, Select, Stack } from '@mantine/core'
import type { ImportableResource, ImportableType } from '@sluice/contract'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { PermissionScopeContext } from '../api/scope.ts'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { Candidates } from './candidates.tsx'
import { ImportForm } from './import-form.tsx'
import { importable } from './importable.ts'

const route = getRouteApi('/shell/console/import')

/** Imports an existing cloud resource: environment, account, and resource. */
export const ImportPage = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState<ImportableResource>()
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data
  const projects = useCompleteList('listProjects', { limit: 100 }).data
  const accounts = useCompleteList('listCloudAccounts', { limit: 100 }).data
  const connected = accounts?.filter(({ status }) => status !== 'AWAITING_CONNECTION')
  const cloudAccountId = search.cloudAccountId ?? (connected?.length === 1 ? connected[0]?.id : undefined)
  const regions = useOperation('listRegionValues', { query: cloudAccountId ? { cloudAccountId } : {} }).data?.data
  const environment = environments?.find(({ id }) => id === search.environmentId)
  const type: ImportableType = search.type === 'cloud:lambda' ? 'cloud:lambda' : 'cloud:ecs'
  const narrow = (change: Partial<typeof search>) => {
    setChosen(undefined)
    navigate({ search: { ...search, ...change }, replace: true })
  }
  if (connected?.length === 0) {
    return (
      <Stack gap="lg" maw={1000}>
        <PageTitle title="Import services" />
        <Notice
          title="No cloud account connected"
          action={<TextLink to="/console/settings/cloud-accounts">Connect account</TextLink>}
        >
          Connect a cloud account to import the services that run in it.
        </Notice>
      </Stack>
    )
  }
  return (
    <Stack gap="lg" maw={1000}>
      <PageTitle
        title="Import services"
        below="Creates a module instance from a running service. What it runs becomes the first release. Nothing in the account changes."
      />
      <Group gap="sm" align="flex-end">
        <Select
          label="Environment"
          placeholder="Select an environment"
          data={(projects ?? []).map(({ id, name }) => ({
            group: name,
            items: (environments ?? []).flatMap((one) =>
              one.projectId === id ? [{ value: one.id, label: `${name} / ${one.name}` }] : [],
            ),
          }))}
          value={search.environmentId ?? null}
          onChange={(environmentId) => narrow({ environmentId: environmentId ?? undefined })}
          searchable
          w={260}
        />
        <Select
          label="Cloud account"
          placeholder="Select a cloud account"
          data={(connected ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={cloudAccountId ?? null}
          onChange={(chosenId) => narrow({ cloudAccountId: chosenId ?? undefined })}
          w={220}
        />
        <Select
          label="Type"
          data={Object.entries(importable).map(([value, { label }]) => ({ value, label }))}
          value={type}
          allowDeselect={false}
          onChange={(wanted) => narrow({ type: wanted ?? undefined })}
          w={200}
        />
        <Select
          label="Region"
          placeholder="Select a region"
          data={(regions ?? []).map(({ value, label }) => ({ value: String(value), label }))}
          value={search.region ?? null}
          onChange={(region) => narrow({ region: region ?? undefined })}
          searchable
          w={240}
        />
      </Group>
      {cloudAccountId && search.region && (
        <Candidates
          key={`${cloudAccountId} ${search.region} ${type}`}
          type={type}
          cloudAccountId={cloudAccountId}
          region={search.region}
          chosen={chosen}
          onChoose={setChosen}
        />
      )}
      {chosen && environment && (
        <PermissionScopeContext value={{ projectId: environment.projectId, environmentId: environment.id }}>
          <ImportForm key={chosen.resourceArn} resource={chosen} environment={environment} />
        </PermissionScopeContext>
      )}
      {chosen && !environment && (
        <Notice title="No environment selected">Select the environment to import into.</Notice>
      )}
    </Stack>
  )
}
