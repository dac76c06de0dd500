import { Anchor, Divider, Text, Title } from '@mantine/core'
import { flattenInputs, type InputDefinition, isHeading, type Values } from './definition.ts'
import { type FormState, type InputGroupProps, isLocked } from './field.ts'
import { InputField } from './input-field.tsx'
import { currentValue, visibleInputs } from './visibility.ts'

/** Shows the visible fields of a scope with headings. */
export const InputGroup = ({ formState, definitions, path, given, resolved, onChange }: InputGroupProps) => {
  const inputs = flattenInputs(definitions)
  const visible = visibleInputs(inputs, given, resolved, formState.isInner ? formState.moduleInput : {})
  const beside = Object.fromEntries(
    inputs.map((one) => [one.id, visible.has(one.id) ? currentValue(one, given, resolved) : null]),
  )
  const put = (id: string, value: unknown) => {
    const { [id]: _, ...others } = given
    onChange(value === undefined ? others : { ...given, [id]: value })
  }
  return inputs
    .filter(({ id }) => visible.has(id))
    .map((definition) =>
      isHeading(definition) ? (
        <Heading key={definition.id} definition={definition} />
      ) : (
        <div key={definition.id}>
          <InputField
            formState={path === '' ? withOwnInput(formState, beside) : formState}
            definition={definition}
            path={path === '' ? definition.id : `${path}.${definition.id}`}
            value={beside[definition.id] ?? undefined}
            beside={beside}
            Scope={InputGroup}
            onChange={(value) => put(definition.id, value)}
          />
          <Hint
            definition={definition}
            isSet={Object.hasOwn(given, definition.id)}
            isFixed={isLocked(formState, definition)}
            onReset={() => put(definition.id, undefined)}
          />
        </div>
      ),
    )
}

const withOwnInput = (formState: FormState, own: Values): FormState =>
  formState.isInner ? { ...formState, innerInput: own } : { ...formState, moduleInput: own }

const Heading = ({ definition: { type, label, description } }: { definition: InputDefinition }) =>
  type === 'divider' ? (
    <Divider label={label} />
  ) : (
    <div>
      <Title order={3} size="h5" mt="sm">
        {label}
      </Title>
      {description && (
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      )}
    </div>
  )

type HintProps = { definition: InputDefinition; isSet: boolean; isFixed: boolean; onReset: () => void }

/** Shows a hint below a field, such as resetting it to the default. */
const Hint = ({ definition, isSet, isFixed, onReset }: HintProps) => {
  if (isFixed) {
    return (
      <Text size="xs" c="dimmed" mt={4}>
        You can’t change this after the instance is created.
      </Text>
    )
  }
  if (!isSet || definition.default === undefined || definition.default === null) return null
  return (
    <Anchor
      component="button"
      type="button"
      size="xs"
      onClick={onReset}
      aria-label={`Use default for ${definition.label}`}
    >
      Use default
    </Anchor>
  )
}
