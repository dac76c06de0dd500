import { Group, Stack, TextInput } from '@mantine/core'
import { ApiError } from '@sluice/client'
import type { ModuleInstance } from '@sluice/contract'
import { useRouter } from '@tanstack/react-router'
import { type SubmitEvent, useRef, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { FreezeNote, useFreezeRejection } from '../freezes/freeze-note.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { UnsavedChanges } from '../ui/forms/unsaved-changes.tsx'
import { useScrollToProblem } from '../ui/forms/use-scroll-to-problem.ts'
import { IconListCheck, IconRocket, IconTestPipe } from '../ui/icons.tsx'
import { Section } from '../ui/section.tsx'
import { DeploymentCheckResult } from './deployment-check.tsx'
import type { InputDefinition, Values } from './inputs/definition.ts'
import { type Dependencies, dependenciesIn } from './inputs/dependencies.ts'
import type { FormState } from './inputs/field.ts'
import { InputGroup } from './inputs/input-group.tsx'
import { visibleInputs } from './inputs/visibility.ts'

/** Asks for the inputs of the module's deploy block, and deploys. */
export const DeployForm = ({ instance }: { instance: ModuleInstance }) => {
  const version = useOperation('getModuleVersion', { params: { id: instance.moduleVersionId } })
  const inputs = useOperation('getModuleInstanceInputs', { params: { id: instance.id } })
  const block = version.data?.data.config.deploy as { type?: string; inputs?: InputDefinition[] } | undefined
  if (!version.data || !block || !inputs.data) return null
  return (
    <Form
      instance={instance}
      declared={named(block.inputs ?? [])}
      moduleInput={inputs.data.data.values}
      dependencies={dependenciesIn(version.data.data, 'deploy')}
    />
  )
}

type Props = {
  instance: ModuleInstance
  declared: readonly InputDefinition[]
  moduleInput: Values
  dependencies: Dependencies
}

const Form = ({ instance, declared, moduleInput, dependencies }: Props) => {
  const { id, environmentId, projectId } = instance
  const here = { projectId, environmentId, moduleInstanceId: id }
  const router = useRouter()
  const form = useRef<HTMLFormElement>(null)
  const [given, setGiven] = useState<Values>({})
  const [description, setDescription] = useState('')
  const bodyOf = () => {
    const asked = visibleInputs(declared, given, {}, moduleInput) // drops values of inputs that are hidden now
    const inputs = Object.fromEntries(Object.entries(given).filter(([name]) => asked.has(name)))
    return { data: { moduleInstanceId: id, description, inputs } }
  }
  const check = useApiMutation(() => client.createDeploymentCheck({ body: bodyOf() }), [])
  const deploy = useApiMutation(
    () => client.createDeployment({ body: bodyOf() }),
    ['listDeployments'],
    ({ data }) => router.navigate({ to: '/console/deployments/$id', params: { id: data.id } }),
  )
  const rehearse = useApiMutation(
    () => client.createRehearsal({ body: { data: { moduleInstanceId: id, inputs: bodyOf().data.inputs } } }),
    [],
    ({ data }) => router.navigate({ to: '/console/rehearsals/$id', params: { id: data.id } }),
  )
  const attempts = [deploy, check, rehearse]
  const startOver = () => {
    for (const attempt of attempts) attempt.reset()
  }
  const error = deploy.error ?? check.error ?? rehearse.error
  useScrollToProblem(form, error)
  const mutationError = useFreezeRejection('RELEASES', here)
  const formState: FormState = {
    environmentId,
    isMade: false,
    isInner: true,
    moduleInput,
    dependencies,
    options: new Map(),
    faults: faultsOf(error),
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    startOver()
    deploy.mutate(undefined)
  }
  const hasChanges = Object.keys(given).length > 0 || description !== ''
  return (
    <Section title="Deploy">
      <UnsavedChanges are={hasChanges && !attempts.some(({ isPending }) => isPending)} />
      <form ref={form} onSubmit={submit}>
        <Stack gap="sm">
          {error && <ErrorPanel error={errorOf(error)} />}
          <InputGroup
            formState={formState}
            definitions={declared}
            path=""
            given={given}
            resolved={{}}
            onChange={(values) => {
              check.reset() // the result is about other inputs
              setGiven(values)
            }}
          />
          <TextInput
            label="Description"
            placeholder="Version 2"
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Group>
            <PermissionButton
              permission="deployments:write"
              command="deploy"
              type="submit"
              leftSection={<IconRocket size={16} aria-hidden />}
              loading={deploy.isPending}
              disabledReason={mutationError}
            >
              Deploy
            </PermissionButton>
            <PermissionButton
              permission="deployments:write"
              variant="default"
              command="check"
              leftSection={<IconListCheck size={16} aria-hidden />}
              loading={check.isPending}
              onClick={() => {
                startOver()
                check.mutate(undefined)
              }}
            >
              Check
            </PermissionButton>
            <PermissionButton
              permission="deployments:write"
              variant="default"
              command="rehearse"
              leftSection={<IconTestPipe size={16} aria-hidden />}
              loading={rehearse.isPending}
              onClick={() => {
                startOver()
                rehearse.mutate(undefined)
              }}
            >
              Rehearse
            </PermissionButton>
            <FreezeNote scope={here} />
          </Group>
          {check.data && <DeploymentCheckResult check={check.data.data} />}
        </Stack>
      </form>
    </Section>
  )
}

/** Adds missing labels, which are optional in a deploy block. */
const named = (inputs: readonly InputDefinition[]): InputDefinition[] =>
  inputs.map((one) => ({ ...one, label: one.label ?? one.id }))

/** Returns the server's problems with inputs by path, such as `inputs.image_ref must be given`. */
function faultsOf(thrown: unknown): ReadonlyMap<string, string> {
  const told = thrown instanceof ApiError ? (thrown.error.details ?? []).flatMap(({ items = [] }) => items) : []
  return new Map(
    told.flatMap((line) => {
      const [, path, message] = /^inputs\.(\S+)\s([\s\S]*)$/.exec(line) ?? []
      return path !== undefined && message !== undefined ? [[path, message] as const] : []
    }),
  )
}
