import { Group, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { IconChevronDown, IconChevronRight } from '../ui/icons.tsx'

type Props = {
  name: string
  environmentCount: number
  isFolded: boolean
  onToggle: () => void
  children: ReactNode
}

/** Heading of a project that folds its environments. */
export const ProjectGroup = ({ name, environmentCount, isFolded, onToggle, children }: Props) => {
  const contentId = useId()
  const Chevron = isFolded ? IconChevronRight : IconChevronDown
  return (
    <section aria-label={`Project ${name}`}>
      <UnstyledButton aria-expanded={!isFolded} aria-controls={isFolded ? undefined : contentId} onClick={onToggle}>
        <Group gap="xs" wrap="nowrap">
          <Chevron size={18} aria-hidden />
          <Title order={2} size="h4">
            {name}
          </Title>
          <Text size="sm" c="dimmed">
            {environmentCount} {environmentCount === 1 ? 'environment' : 'environments'}
          </Text>
        </Group>
      </UnstyledButton>
      {!isFolded && (
        <Stack id={contentId} gap="lg" mt="sm">
          {children}
        </Stack>
      )}
    </section>
  )
}
