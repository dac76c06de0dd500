import { Button, Group, Input, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '../../ui/icons.tsx'
import type { InputDefinition, Values } from './definition.ts'
import { clearedValue, type FieldProps, fieldProps, isLocked } from './field.ts'
import { validateInput } from './validate-input.ts'

type Item = { key: string; value: Values }

/** Edits a list or map of objects, with a nested form for each. */
export const ItemsField = (props: FieldProps) => {
  const { definition, value, onChange, formState, path, Scope } = props
  const { label, description, withAsterisk, error } = fieldProps(props, validateInput(definition, value))
  const isMap = definition.type === 'object_map'
  const isFixed = isLocked(formState, definition)
  const items: Item[] = Object.entries((value ?? {}) as Record<string, Values>).map(([key, value]) => ({ key, value }))
  const change = (changed: readonly Item[]) => {
    if (changed.length === 0) return onChange(clearedValue(definition))
    onChange(
      isMap ? Object.fromEntries(changed.map(({ key, value }) => [key, value])) : changed.map((one) => one.value),
    )
  }
  const put = (index: number, item: Item) => change(items.map((one, at) => (at === index ? item : one)))
  return (
    <Input.Wrapper {...{ label, description, withAsterisk, error }} labelElement="div">
      <Stack gap="sm" mt={4}>
        {items.map((item, index) => (
          <Paper key={index} withBorder p="sm">
            <Group justify="space-between" mb="xs">
              <Text size="sm" fw={600}>
                {titleOf(definition, item, index)}
              </Text>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                disabled={isFixed}
                leftSection={<IconTrash size={14} aria-hidden />}
                onClick={() => change(items.filter((_, at) => at !== index))}
              >
                Remove
              </Button>
            </Group>
            <Stack gap="sm">
              {isMap && (
                <TextInput
                  label={definition.key?.label ?? 'Key'}
                  placeholder={definition.key?.placeholder ?? ''}
                  disabled={isFixed}
                  error={validateInput({ ...definition, ...definition.key, type: 'string', required: true }, item.key)}
                  value={item.key}
                  onChange={(event) => put(index, { ...item, key: event.currentTarget.value })}
                />
              )}
              <Scope
                formState={formState}
                definitions={definition.item_inputs ?? []}
                path={isMap ? `${path}.${item.key}` : `${path}[${index}]`}
                given={item.value}
                resolved={{}}
                onChange={(value) => put(index, { ...item, value })}
              />
            </Stack>
          </Paper>
        ))}
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            disabled={isFixed}
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => change([...items, { key: freeKey(items), value: {} }])}
          >
            {definition.add_button_label ?? 'Add'}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}

/** Returns the title of an item from the module's template, where `{field}` is a field of the item. */
function titleOf({ item_title, item_label, label }: InputDefinition, { value }: Item, index: number): string {
  const title = item_title?.template.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(value[field] ?? ''))
  return title?.trim() || item_title?.fallback || `${item_label ?? label} ${index + 1}`
}

function freeKey(items: readonly Item[]): string {
  const taken = new Set(items.map(({ key }) => key))
  const free = (number: number): string => (taken.has(`item-${number}`) ? free(number + 1) : `item-${number}`)
  return free(items.length + 1)
}
