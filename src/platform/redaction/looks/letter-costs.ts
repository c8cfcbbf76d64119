/**
 * What a letter costs after another one, in quarter bits, as measured over ordinary source code and prose:
 * a row for the letter before (a to z, then the edge of a word), a column for the letter itself (the same).
 * Digits of base 53: 0-9, a-z, A-Q.
 */
export const LETTER_COSTS: readonly string[] = [
  'CmiiyulImCtdjcNjJdcdpqtqnFc',
  'htpxbuzLbiCfxtiqOjmseDJBfC9',
  'fppxexFfmIihgAbrKipblzExvQb',
  'ktyk9xAvfDBqAyjyMqmrmzCnuQ4',
  'mwihpjrExGHmneyppdgfFpojoP7',
  'jzsskkCEcPQnxnbsNkpnjLCIqQ5',
  'oBqB8AskhQJjqhnoNklonAGJDC5',
  'dMKA4BIIgQHyvBhBJorjsFENzMa',
  'omigmflQFNAkl8epGndeKoJvQrg',
  'kFxw8CFBlHuHxChvzF6sjmoMKLa',
  'qwsxbByEjQGxsqyzQBnvsvxNHJ2',
  'gwymbstnbHBeBCfvQAkljsBAkI7',
  'bmsnayAHgyAlnBhbHBgunxJInQ9',
  'jzieepgEmKvtBugwQtfblsKOpN7',
  'unkjyeqJoArliaohQakihqmBEKb',
  'eArtcuuskQrgwuejAemdlvxFlA8',
  'AwADABzIwQQfCADwursz5EnKNO5',
  'gAoq9tmzfQvmnlgrJijinryInQ7',
  'oGnzcAuojQdjwjmnErfdmAACrA7',
  'iFqseuKbfQxrwzfsQflpoKvmlO6',
  'njlngnpMiQGfgcziQcccEyMuNLe',
  'ayrB7utHfQmqlzikIyssDBCCKQ8',
  'cFzoezAfbQDvxjhyKilwyMkKMQ6',
  'oGmynxKGpQxElxAhMHsdHGPtyJ2',
  'vyxGsFyOrQPrnnhcEoioCJuMIE2',
  'hCEF7yKziQHruEcFIDvDzLEIst5',
  'ejfjjjmoevrlkjhiBjddlnokwvQ',
]
