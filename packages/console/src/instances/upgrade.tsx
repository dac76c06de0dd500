import { Alert, Button, Checkbox, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ApiError } from '@sluice/client'
import type { InputError, ModuleInstance, ModuleInstanceUpgrade, ModuleVersion } from '@sluice/contract'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconArrowUp } from '../ui/icons.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { flattenInputs, type InputDefinition, type Values } from './inputs/definition.ts'
import { dependenciesIn } from './inputs/dependencies.ts'
import type { FormState } from './inputs/field.ts'
import { InputGroup } from './inputs/input-group.tsx'

type Props = { instance: ModuleInstance; resolved: Values }

/** Offers an upgrade to the latest module version; nothing if the instance is up to date. */
export const Upgrade = ({ instance, resolved }: Props) => {
  const { moduleDefinitionId: id, moduleVersionId } = instance
  const definition = useOperation('getModuleDefinition', { params: { id } })
  const [isOpen, { open, close }] = useDisclosure(false)
  const { latestVersionId, latestVersion } = definition.data?.data ?? {}
  if (latestVersionId === undefined || latestVersionId === moduleVersionId) return null
  return (
    <Alert
      color="water"
      variant="light"
      mb="md"
      icon={<IconArrowUp aria-hidden />}
      title={`Module version ${latestVersion} is available`}
    >
      <Button size="xs" onClick={open}>
        Review upgrade
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Upgrade to version ${latestVersion}`} size="lg">
        <Move instance={instance} resolved={resolved} moduleVersionId={latestVersionId} onDone={close} />
      </Modal>
    </Alert>
  )
}

type MoveProps = Props & { moduleVersionId: string; onDone: () => void }

const Move = ({ instance, resolved, moduleVersionId, onDone }: MoveProps) => {
  const { id } = instance
  const upgrade = useOperation('getModuleInstanceUpgrade', { params: { id }, query: { moduleVersionId } })
  const version = useOperation('getModuleVersion', { params: { id: moduleVersionId } })
  return (
    <QueryResult of={upgrade}>
      {({ data }) => (
        <QueryResult of={version}>
          {(answer) => (
            <MoveForm instance={instance} resolved={resolved} upgrade={data} version={answer.data} onDone={onDone} />
          )}
        </QueryResult>
      )}
    </QueryResult>
  )
}

type FormProps = Props & { upgrade: ModuleInstanceUpgrade; version: ModuleVersion; onDone: () => void }

const MoveForm = ({ instance, resolved, upgrade, version, onDone }: FormProps) => {
  const { id, environmentId, input } = instance
  const { newInputs, removedInputs, changedDefaults } = upgrade
  const hasStack = version.config.stack !== undefined && version.config.stack !== null
  const [given, setGiven] = useState<Values>({})
  const [runStack, setRunStack] = useState(hasStack)
  const move = useApiMutation(
    () => {
      const kept = Object.entries(input).filter(([name]) => !removedInputs.some((gone) => gone.id === name))
      const data = { moduleVersionId: version.id, input: { ...Object.fromEntries(kept), ...given }, runStack }
      return client.updateModuleInstance({ params: { id }, body: { data } })
    },
    ['getModuleInstance', 'getModuleInstanceInputs', 'listModuleInstances', 'listServices'],
    onDone,
  )
  const mutationError = move.error instanceof ApiError ? move.error.error.metadata?.errors : undefined
  const formState: FormState = {
    environmentId,
    isMade: false,
    isInner: true,
    moduleInput: { ...resolved, ...given },
    dependencies: dependenciesIn(version),
    options: new Map(),
    faults: new Map(
      ((mutationError ?? []) as InputError[]).map(({ path, message }) => [path.replace(/^input\./, ''), message]),
    ),
  }
  const isNew = (one: InputDefinition) => newInputs.some((added) => added.id === one.id)
  const added = flattenInputs((version.config.inputs ?? []) as InputDefinition[]).filter(isNew)
  const lines = [
    ...removedInputs.map((gone) => `${gone.id} is removed${gone.isSet ? ', with its value' : ''}.`),
    ...changedDefaults.map((one) => `${one.id} changes from ${JSON.stringify(one.from)} to ${JSON.stringify(one.to)}.`),
  ]
  return (
    <Stack gap="md">
      {move.error && <ErrorPanel error={errorOf(move.error)} />}
      <Text size="sm">{version.description}</Text>
      {added.length + lines.length === 0 && <Text size="sm">The inputs don’t change.</Text>}
      {lines.length > 0 && (
        <List size="sm">
          {lines.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
      <InputGroup formState={formState} definitions={added} path="" given={given} resolved={{}} onChange={setGiven} />
      {hasStack && (
        <Checkbox
          label="Update the infrastructure now"
          description="Starts a pipeline run that plans and applies the change."
          checked={runStack}
          onChange={(event) => setRunStack(event.currentTarget.checked)}
        />
      )}
      <Group justify="flex-end">
        <PermissionButton
          permission="module-instances:write"
          loading={move.isPending}
          onClick={() => move.mutate(undefined)}
        >
          Upgrade to {version.version}
        </PermissionButton>
      </Group>
    </Stack>
  )
}
