import { Group, Text, ThemeIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconCheck } from '../ui/icons.tsx'
import { Section } from '../ui/section.tsx'
import classes from './guide.module.css'

/** Step of a guide. Its action appears when it is the next one. */
export type GuideStep = { title: string; about: ReactNode; isDone: boolean; action: ReactNode }

/** Lists the steps of a guide with a check mark for each that is done, and what follows after the last one. */
export const Guide = ({ title, steps, after }: { title: string; steps: readonly GuideStep[]; after?: ReactNode }) => {
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Section title={title} aside={<Progress done={steps.filter(({ isDone }) => isDone).length} of={steps.length} />}>
      <ol className={classes.steps}>
        {steps.map((step, index) => (
          <Row key={step.title} step={step} number={index + 1} isNext={index === next} />
        ))}
      </ol>
      {after}
    </Section>
  )
}

const Progress = ({ done, of }: { done: number; of: number }) => (
  <Text size="sm" c="dimmed" role="status">
    {done} of {of} done
  </Text>
)

const Row = ({
  step: { title, about, isDone, action },
  number,
  isNext,
}: {
  step: GuideStep
  number: number
  isNext: boolean
}) => (
  <li aria-current={isNext ? 'step' : undefined}>
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon
        radius="xl"
        size={28}
        variant={isDone || isNext ? 'filled' : 'default'}
        {...(isDone && { color: 'teal.9' })}
      >
        {isDone ? <IconCheck size={16} aria-label="Done" /> : number}
      </ThemeIcon>
      <Group justify="space-between" gap="xs" style={{ flex: 1 }}>
        <div className={classes.words}>
          <Text fw={600} {...(isDone && { c: 'dimmed' })}>
            {title}
          </Text>
          {!isDone && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {isNext && action}
      </Group>
    </Group>
  </li>
)
