import { Button, Checkbox, Group, Select, Stack, Text } from '@mantine/core'
import { ApiError } from '@sluice/client'
import type { InputError, ModuleDefinition } from '@sluice/contract'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { type SubmitEvent, useRef, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { BundledModules } from '../modules/publish-bundled.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { fieldProblems } from '../ui/forms/field-problems.ts'
import { textFieldValue } from '../ui/forms/form-modal.tsx'
import { FormProblems } from '../ui/forms/form-problems.ts'
import { UnsavedChanges } from '../ui/forms/unsaved-changes.tsx'
import { useScrollToProblem } from '../ui/forms/use-scroll-to-problem.ts'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { NameAndId } from '../ui/tables/name-and-id.tsx'
import { TextLink } from '../ui/text-link.tsx'
import type { InputDefinition, Values } from './inputs/definition.ts'
import { dependenciesIn } from './inputs/dependencies.ts'
import { InputGroup } from './inputs/input-group.tsx'
import { inputsFromNetwork } from './inputs/inputs-from-network.ts'
import { useOpenInfrastructureRun } from './use-open-infrastructure-run.ts'

const route = getRouteApi('/shell/console/environments/$id/new')

/** Creates a module instance in an environment. */
export const NewInstance = () => {
  const { id } = route.useParams()
  const environment = useOperation('getEnvironment', { params: { id } })
  const definitions = useCompleteList('listModuleDefinitions', {})
  const [definitionId, setDefinitionId] = useState<string | null>(null)
  return (
    <Stack gap="lg" maw={800}>
      <PageTitle
        title="Create instance"
        of={environment.data?.data.name}
        below={environment.data && `In ${environment.data.data.name}`}
        aside={
          <TextLink to="/console/import" search={{ environmentId: id }} size="sm">
            Import services
          </TextLink>
        }
      />
      <QueryResult of={definitions}>
        {(all) => {
          const published = all.filter(({ latestVersionId }) => latestVersionId !== undefined)
          const chosen = published.find((one) => one.id === definitionId)
          if (published.length === 0) {
            return (
              <>
                <Section title="No modules published yet">
                  <Text size="sm">
                    A module defines how a type of service is deployed. Publish one under Modules first.
                  </Text>
                </Section>
                <BundledModules definitions={all} onPublished={setDefinitionId} />
              </>
            )
          }
          return (
            <>
              <Select
                label="Module"
                placeholder="Select a module"
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
      </QueryResult>
    </Stack>
  )
}

const InstanceForm = ({ definition, environmentId }: { definition: ModuleDefinition; environmentId: string }) => {
  const { id: moduleDefinitionId, latestVersionId = '', description } = definition
  const router = useRouter()
  const goToRun = useOpenInfrastructureRun()
  const version = useOperation('getModuleVersion', { params: { id: latestVersionId } })
  const form = useRef<HTMLFormElement>(null)
  const [isTouched, setIsTouched] = useState(false)
  const [entered, setInput] = useState<Values>()
  const [runStack, setRunStack] = useState(true)
  const network = useOperation('getEnvironmentNetwork', { params: { id: environmentId } })
  const inputs = (version.data?.data.config.inputs ?? []) as InputDefinition[]
  // Starts with the environment's default network until the user enters something.
  const input = entered ?? inputsFromNetwork(inputs, network.data?.data.default)
  const hasStack = version.data?.data.config.stack !== undefined
  const create = useApiMutation(
    (form: FormData) => {
      const placed = { environmentId, moduleDefinitionId, moduleVersionId: latestVersionId }
      const named = { name: textFieldValue(form, 'name'), givenId: textFieldValue(form, 'givenId') }
      const data = { ...placed, ...named, input: { ...input }, runStack: hasStack && runStack }
      return client.createModuleInstance({ body: { data } })
    },
    ['listModuleInstances'],
    ({ data: { id } }) =>
      hasStack && runStack ? goToRun(id) : router.navigate({ to: '/console/instances/$id', params: { id } }),
  )
  const mutationError = create.error instanceof ApiError ? create.error.error.metadata?.errors : undefined
  const faults = new Map(
    ((mutationError ?? []) as InputError[]).map(({ path, message }) => [path.replace(/^input\./, ''), message]),
  )
  useScrollToProblem(form, create.error)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(new FormData(event.currentTarget))
  }
  return (
    <form ref={form} onSubmit={submit} onInput={() => setIsTouched(true)}>
      <UnsavedChanges are={(isTouched || entered !== undefined) && !create.isPending} />
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          {description}
        </Text>
        {create.error && <ErrorPanel error={errorOf(create.error)} />}
        <FormProblems value={fieldProblems(create.error)}>
          <NameAndId example="Web" />
        </FormProblems>
        <Section title="Inputs">
          <QueryResult of={version}>
            {({ data }) => (
              <Stack gap="md">
                <InputGroup
                  formState={{
                    environmentId,
                    isMade: false,
                    moduleInput: {},
                    dependencies: dependenciesIn(data),
                    options: new Map(),
                    faults,
                  }}
                  definitions={inputs}
                  path=""
                  given={input}
                  resolved={{}}
                  onChange={setInput}
                />
              </Stack>
            )}
          </QueryResult>
        </Section>
        {hasStack && (
          <Checkbox
            label="Create the infrastructure now"
            description="Opens a new pipeline run that plans it and waits for approval."
            checked={runStack}
            onChange={(event) => setRunStack(event.currentTarget.checked)}
          />
        )}
        <Group>
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
