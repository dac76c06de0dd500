import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ApiError } from '@sluice/client'
import type { FormInput, InputError, ModuleInstance, ModuleInstanceInputs, ModuleVersion } from '@sluice/contract'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { client } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { queryKeyOf, useOperation } from '../api/use-operation.ts'
import { DifferenceList } from '../ui/difference-list.tsx'
import { differencesOf } from '../ui/differences.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { UnsavedChanges } from '../ui/forms/unsaved-changes.tsx'
import { useScrollToProblem } from '../ui/forms/use-scroll-to-problem.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import type { InputDefinition, Values } from './inputs/definition.ts'
import { dependenciesIn } from './inputs/dependencies.ts'
import { InputGroup } from './inputs/input-group.tsx'
import { Upgrade } from './upgrade.tsx'
import { useOpenInfrastructureRun } from './use-open-infrastructure-run.ts'

type Props = { instance: ModuleInstance; mayChange: boolean }

/** Edits the inputs of an instance in a form built from its module. */
export const InputsPanel = ({ instance, mayChange }: Props) => {
  const inputs = useOperation('getModuleInstanceInputs', { params: { id: instance.id } })
  const version = useOperation('getModuleVersion', { params: { id: instance.moduleVersionId } })
  return (
    <Section title="Inputs">
      <QueryResult of={inputs} lines={8}>
        {({ data }) => (
          <>
            <Upgrade instance={instance} resolved={data.values} />
            <QueryResult of={version} lines={8}>
              {({ data: ofModule }) => (
                // A changed instance resets the form, because its entries were based on the old values.
                <InputsForm
                  key={JSON.stringify(instance.input)}
                  instance={instance}
                  inputs={data}
                  version={ofModule}
                  mayChange={mayChange}
                />
              )}
            </QueryResult>
          </>
        )}
      </QueryResult>
    </Section>
  )
}

type FormProps = Props & { inputs: ModuleInstanceInputs; version: ModuleVersion }

const InputsForm = ({ instance, inputs, version, mayChange }: FormProps) => {
  const [given, setGiven] = useState<Values>(instance.input)
  const [isReviewing, { open, close }] = useDisclosure(false)
  const goToRun = useOpenInfrastructureRun()
  const save = useMutation({
    mutationFn: (runStack: boolean) =>
      client.updateModuleInstance({ params: { id: instance.id }, body: { data: { input: { ...given }, runStack } } }),
    onSuccess: (_, runStack) => {
      for (const operation of ['getModuleInstance', 'getModuleInstanceInputs', 'listModuleInstances'] as const) {
        queryClient.invalidateQueries({ queryKey: queryKeyOf(operation) })
      }
      if (runStack) return goToRun(instance.id)
    },
    onSettled: close,
  })
  const mutationError = save.error instanceof ApiError ? save.error.error.metadata?.errors : undefined
  const faults = (mutationError ?? inputs.errors) as InputError[]
  const formState = {
    environmentId: instance.environmentId,
    isMade: true,
    moduleInput: {},
    dependencies: dependenciesIn(version),
    options: optionsByPath(inputs.form),
    faults: new Map(faults.map(({ path, message }) => [path.replace(/^input\./, ''), message])),
  }
  const differences = differencesOf(instance.input, given)
  const form = useRef<HTMLFormElement>(null)
  useScrollToProblem(form, save.error)
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        open()
      }}
    >
      <UnsavedChanges are={differences.length > 0 && !save.isPending} />
      <Stack gap="md" maw={720}>
        {save.error && <ErrorPanel error={errorOf(save.error)} />}
        <fieldset disabled={!mayChange} style={{ all: 'unset' }}>
          <Stack gap="md">
            <InputGroup
              formState={formState}
              definitions={(version.config.inputs ?? []) as InputDefinition[]}
              path=""
              given={given}
              resolved={inputs.values}
              onChange={setGiven}
            />
          </Stack>
        </fieldset>
        {mayChange && (
          <Group>
            <Button type="submit" disabled={differences.length === 0}>
              Review changes
            </Button>
            {differences.length > 0 && (
              <Button variant="default" onClick={() => setGiven(instance.input)}>
                Discard
              </Button>
            )}
          </Group>
        )}
      </Stack>
      <Modal opened={isReviewing} onClose={close} title="Changes" size="lg">
        <Review
          differences={differences}
          hasStack={version.config.stack !== undefined}
          isSaving={save.isPending}
          onSave={(runStack) => save.mutate(runStack)}
        />
      </Modal>
    </form>
  )
}

type ReviewProps = {
  differences: ReturnType<typeof differencesOf>
  hasStack: boolean
  isSaving: boolean
  onSave: (runStack: boolean) => void
}

const Review = ({ differences, hasStack, isSaving, onSave }: ReviewProps) => {
  const [runStack, setRunStack] = useState(hasStack)
  return (
    <Stack>
      <DifferenceList differences={differences} />
      {hasStack ? (
        <Checkbox
          label="Update the infrastructure now"
          description="Opens a new pipeline run that plans the change and waits for approval."
          checked={runStack}
          onChange={(event) => setRunStack(event.currentTarget.checked)}
        />
      ) : (
        <Text size="sm" c="dimmed">
          The next deployment uses the new inputs.
        </Text>
      )}
      <Group justify="flex-end">
        <Button loading={isSaving} onClick={() => onSave(runStack)}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}

const optionsByPath = (form: readonly FormInput[]) =>
  new Map(form.flatMap(({ path, options }) => (options ? [[path, options] as const] : [])))
