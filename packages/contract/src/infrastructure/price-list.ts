import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

/** So many prices an organization has at most: each resource of a plan is compared with those of its type. */
const mostPrices = 500

/** So many attributes a price names at most. */
const mostConditions = 8

const currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'What the amounts are in, as ISO 4217 names it.',
  examples: ['EUR'],
})

const amount = (description: string) => Type.String({ description, examples: ['12.50'] })

export const Price = Type.Object(
  {
    resourceType: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The type of the resources that it is the price of.',
      examples: ['aws_instance'],
    }),
    where: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ maxLength: 200 }), {
        maxProperties: mostConditions,
        description:
          'Only of those whose attributes have these values, each by its path and as a text. Of several prices that fit, the one that names the most attributes counts; of those, the first.',
        examples: [{ instance_type: 't3.large', 'root_block_device.0.encrypted': 'true' }],
      }),
    ),
    monthly: Type.String({
      pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$',
      description: 'What one of them costs in a month: an exact decimal, `0` for what is free.',
      examples: ['60.74'],
    }),
  },
  { ...closed, description: 'What a resource of a type costs.' },
)
export type Price = Static<typeof Price>

export const PriceList = Type.Object(
  {
    currency,
    prices: Type.Array(Price, {
      maxItems: mostPrices,
      description: 'Without any, plans say nothing of money.',
    }),
  },
  { ...closed, description: 'What resources cost in a month, by which the cost of plans is told.' },
)
export type PriceList = Static<typeof PriceList>

export const PlanCost = Type.Object(
  {
    currency,
    monthlyBefore: amount('What the resources of the stack cost in a month as they are.'),
    monthlyAfter: amount('What they would cost once the plan is applied.'),
    monthlyDifference: amount('By how much that is more; below zero for less.'),
    unpricedCount: Type.Integer({ minimum: 0, description: 'Of how many resources no price is known.' }),
    unpriced: Type.Array(
      Type.Object(
        {
          resourceType: Price.properties.resourceType,
          count: Type.Integer({ minimum: 1, description: 'How many resources.' }),
        },
        { ...closed, description: 'Resources of one type without a price.' },
      ),
      { description: 'Of which types those are: the 100 with the most, the most first.' },
    ),
  },
  { ...closed, description: 'What a plan costs, by the price list of the moment when it was made.' },
)
export type PlanCost = Static<typeof PlanCost>
