import { Badge, Code, Group, JsonInput, PasswordInput, Stack, Table, Text, TextInput } from '@mantine/core'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormModal } from '../../ui/forms/form-modal.tsx'
import type { Effective, Level } from './levels.ts'

type Props = { effective: Effective; level: Level }

/** Shows a key with its value at a level, and its actions. */
export const DefaultRow = ({ effective: { definition, own, inherited }, level }: Props) => {
  const { id, key, description, isSensitive } = definition
  const { parentType, parentId, name } = level
  const set = useApiMutation<FormData, unknown>(
    (form) => {
      const value = readValue(form, definition)
      return own
        ? client.updateDefaultValue({ params: { id: own.id }, body: { data: { value } } })
        : client.createDefaultValue({ body: { data: { defaultValueDefinitionId: id, parentType, parentId, value } } })
    },
    ['listDefaultValues'],
  )
  const unset = useApiMutation(
    () => client.deleteDefaultValue({ params: { id: own?.id ?? '' } }),
    ['listDefaultValues'],
  )
  const remove = useApiMutation(
    () => client.deleteDefaultValueDefinition({ params: { id } }),
    ['listDefaultValueDefinitions'],
  )
  const mutationError = unset.error ?? remove.error
  const field = { name: 'value', label: key, description: description ?? '', required: true, 'data-autofocus': true }
  const shown = own ?? inherited?.value
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {key}
          </Text>
          {isSensitive && (
            <Badge size="sm" variant="default" tt="none">
              sensitive
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {description}
        </Text>
        <ManagedRow projectId={level.projectId} recordId={id} />
      </Table.Td>
      <Table.Td>
        <Stack gap={2}>
          {shown ? (
            <Code style={{ overflowWrap: 'anywhere', alignSelf: 'flex-start' }}>
              {isSensitive ? '••••••' : JSON.stringify(shown.value)}
            </Code>
          ) : (
            <Text size="sm" c="dimmed">
              not set
            </Text>
          )}
          {!own && inherited && (
            <Text size="xs" c="dimmed">
              from {inherited.from.name}
            </Text>
          )}
        </Stack>
        {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
        {own && <ManagedRow projectId={level.projectId} recordId={own.id} />}
      </Table.Td>
      <Table.Td>
        <Group gap={4} justify="flex-end">
          <FormModal
            permission="default-values:write"
            label={own ? 'Edit' : 'Set'}
            title={`${key} for ${name}`}
            submit="Save"
            change={set}
            button={{ size: 'xs', variant: 'default' }}
          >
            {isSensitive ? (
              <PasswordInput {...field} autoComplete="off" />
            ) : isText(definition.schema) ? (
              <TextInput {...field} defaultValue={typeof own?.value === 'string' ? own.value : ''} />
            ) : (
              <JsonInput
                {...field}
                autosize
                minRows={3}
                formatOnBlur
                validationError="Enter valid JSON."
                defaultValue={own ? JSON.stringify(own.value, null, 2) : ''}
              />
            )}
          </FormModal>
          {own ? (
            <ConfirmButton
              permission="default-values:write"
              size="xs"
              variant="subtle"
              color="red"
              label="Unset"
              ariaLabel={`Unset ${key}`}
              question={`Unset ${key} for ${name}?`}
              onConfirm={() => unset.mutate(undefined)}
            >
              {inherited ? `The value of ${inherited.from.name} applies instead.` : 'The key has no value after that.'}
            </ConfirmButton>
          ) : (
            !inherited && (
              <ConfirmButton
                permission="default-value-definitions:write"
                size="xs"
                variant="subtle"
                color="red"
                label="Delete key"
                ariaLabel={`Delete key ${key}`}
                question={`Delete key ${key}?`}
                onConfirm={() => remove.mutate(undefined)}
              >
                Templates that read defaults.{key} get no value from then on. Keys with values can’t be deleted.
              </ConfirmButton>
            )
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

type Definition = Effective['definition']

const isText = (schema: Definition['schema']): boolean => schema.type === 'string'

/** Reads a value: text for string schemas, otherwise JSON. Invalid JSON is sent as text for the server to reject. */
function readValue(form: FormData, { schema }: Definition): unknown {
  const text = String(form.get('value') ?? '')
  if (isText(schema)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
