import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { ApiError } from '@sluice/client'
import type { InputFault, ModuleDefinition } from '@sluice/contract'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'
import { useGoToRun } from './go-to-run.ts'
import type { InputDefinition, Values } from './inputs/definition.ts'
import { ScopeFields } from './inputs/scope-fields.tsx'

const route = getRouteApi('/shell/console/environments/$id/new')

/** Places a module in an environment. */
export const NewInstance = () => {
  const { id } = route.useParams()
  const environment = useOperation('getEnvironment', { params: { id } })
  const definitions = useOperation('listModuleDefinitions', { query: { status: 'ACTIVE', limit: 100 } })
  const [definitionId, setDefinitionId] = useState<string | null>(null)
  return (
    <Stack gap="lg" maw={800}>
      <PageTitle title="Place a module" below={environment.data && `In ${environment.data.data.name}`} />
      <Answer of={definitions}>
        {({ data }) => {
          const published = data.filter(({ latestVersionId }) => latestVersionId !== undefined)
          const chosen = published.find((one) => one.id === definitionId)
          if (published.length === 0) {
            return (
              <Notice title="No module is published yet">Publish one with POST /module-versions; see /docs.</Notice>
            )
          }
          return (
            <>
              <Select
                label="Module"
                placeholder="Choose what to place here"
                data={published.map(({ id, name, latestVersion }) => ({
                  value: id,
                  label: `${name} ${latestVersion}`,
                }))}
                value={definitionId}
                onChange={setDefinitionId}
                searchable
              />
              {chosen && <InstanceForm key={chosen.id} definition={chosen} environmentId={id} />}
            </>
          )
        }}
      </Answer>
    </Stack>
  )
}

const InstanceForm = ({ definition, environmentId }: { definition: ModuleDefinition; environmentId: string }) => {
  const { id: moduleDefinitionId, latestVersionId = '', description } = definition
  const router = useRouter()
  const goToRun = useGoToRun()
  const version = useOperation('getModuleVersion', { params: { id: latestVersionId } })
  const [name, setName] = useState('')
  const [input, setInput] = useState<Values>({})
  const [runStack, setRunStack] = useState(true)
  const hasStack = version.data?.data.config.stack !== undefined
  const create = useChange(
    () => {
      const placed = { environmentId, moduleDefinitionId, moduleVersionId: latestVersionId }
      const data = { ...placed, name, givenId: slugOf(name), input: { ...input }, runStack: hasStack && runStack }
      return client.createModuleInstance({ body: { data } })
    },
    ['listModuleInstances'],
    ({ data: { id } }) =>
      hasStack && runStack ? goToRun(id) : router.navigate({ to: '/console/instances/$id', params: { id } }),
  )
  const refused = create.error instanceof ApiError ? create.error.error.metadata?.faults : undefined
  const faults = new Map(
    ((refused ?? []) as InputFault[]).map(({ path, message }) => [path.replace(/^input\./, ''), message]),
  )
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(undefined)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          {description}
        </Text>
        {create.error && <ErrorPanel error={errorOf(create.error)} />}
        <TextInput
          label="Name"
          description={name === '' ? 'What people call it.' : `Its id in the environment: ${slugOf(name)}`}
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Section title="Inputs">
          <Answer of={version}>
            {({ data: { config } }) => (
              <Stack gap="md">
                <ScopeFields
                  place={{ environmentId, isMade: false, moduleInput: {}, options: new Map(), faults }}
                  definitions={(config.inputs ?? []) as InputDefinition[]}
                  path=""
                  given={input}
                  resolved={{}}
                  onChange={setInput}
                />
              </Stack>
            )}
          </Answer>
        </Section>
        {hasStack && (
          <Checkbox
            label="Make its infrastructure at once"
            description="Starts a pipeline run that plans it and then asks for approval: you are led there."
            checked={runStack}
            onChange={(event) => setRunStack(event.currentTarget.checked)}
          />
        )}
        <Group>
          <Button type="submit" loading={create.isPending}>
            Place it
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Lower-case letters, digits and inner hyphens, as the interface wants its ids. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '')
