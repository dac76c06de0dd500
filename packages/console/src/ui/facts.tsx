import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** Lists names and values. Undefined values are omitted. */
export const Facts = ({ facts }: { facts: Readonly<Record<string, ReactNode>> }) => (
  <dl className={classes.facts}>
    {Object.entries(facts).map(
      ([name, fact]) =>
        fact !== undefined && (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm">
              {fact}
            </Text>
          </div>
        ),
    )}
  </dl>
)
