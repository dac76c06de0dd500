import { Skeleton } from '@mantine/core'
import type { Decision } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { Section } from '../ui/section.tsx'

const DecisionList = lazy(() => import('./decision-list.tsx'))

/** Shows who requested, continued or cancelled a deployment or run. Renders nothing if the audit log has no entries. */
export const Decisions = ({ decisions = [] }: { decisions?: readonly Decision[] | undefined }) =>
  decisions.length > 0 && (
    <Section title="Decisions">
      <Suspense fallback={<Skeleton height={48} radius="md" />}>
        <DecisionList decisions={decisions} />
      </Suspense>
    </Section>
  )
